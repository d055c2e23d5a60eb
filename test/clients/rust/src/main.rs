use openapi::apis::configuration::Configuration;
use openapi::apis::pets_api::{create_pet, get_pet, list_pets, GetPetError, ListPetsError};
use openapi::apis::Error;
use openapi::models::{self, NewPet};
use reqwest_middleware::{ClientBuilder, Middleware, Next};
use std::env::var;
use std::sync::{Arc, Mutex};

/// Keeps the cursor of the last response, because the generated functions return no headers.
#[derive(Clone, Default)]
struct NextCursor(Arc<Mutex<Option<String>>>);

#[async_trait::async_trait]
impl Middleware for NextCursor {
    async fn handle(
        &self,
        request: reqwest::Request,
        extensions: &mut http::Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let response = next.run(request, extensions).await?;
        let link = response.headers().get("Link").and_then(|link| link.to_str().ok());
        let cursor = link.and_then(|link| link.split("cursor=").nth(1)).map(|rest| rest[..20].to_owned());
        *self.0.lock().unwrap() = cursor;
        Ok(response)
    }
}

fn connect(key: String, next_cursor: NextCursor) -> Configuration {
    Configuration {
        base_path: var("BASE_URL").unwrap(),
        bearer_access_token: Some(key),
        client: ClientBuilder::new(reqwest::Client::new()).with(next_cursor).build(),
        ..Configuration::default()
    }
}

fn print_error(error: models::Error) {
    println!("{} {}", error.status as i64, serde_json::to_value(error.code).unwrap().as_str().unwrap());
}

/// The first variant stands for every status: all have the same body.
fn print_list_error<T>(result: Result<T, Error<ListPetsError>>) {
    match result {
        Err(Error::ResponseError(response)) => match response.entity {
            Some(ListPetsError::Status400(error)) => print_error(error),
            entity => panic!("{entity:?}"),
        },
        _ => panic!("no error response"),
    }
}

#[tokio::main(flavor = "current_thread")]
#[allow(deprecated)]
async fn main() {
    let next_cursor = NextCursor::default();
    let pets = connect(var("API_KEY").unwrap(), next_cursor.clone());
    let created = create_pet(&pets, NewPet::new("Rex".to_owned(), i64::MAX), None).await.unwrap();
    println!("created {}", created.category_id);
    println!("read {}", get_pet(&pets, 1).await.unwrap().category_id);
    println!("page {}", list_pets(&pets, Some(2), None, None).await.unwrap().len());
    let cursor = next_cursor.0.lock().unwrap().clone();
    println!("page {}", list_pets(&pets, Some(2), None, cursor.as_deref()).await.unwrap().len());
    print_list_error(list_pets(&pets, None, None, Some(&"A".repeat(20))).await);
    let stranger = connect("wrong".to_owned(), NextCursor::default());
    print_list_error(list_pets(&stranger, None, None, None).await);
    match get_pet(&pets, i64::MAX).await {
        Err(Error::ResponseError(response)) => match response.entity {
            Some(GetPetError::Status400(error)) => print_error(error),
            entity => panic!("{entity:?}"),
        },
        _ => panic!("no error response"),
    }
}
