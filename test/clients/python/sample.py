import os
import re

from openapi_client import ApiClient, ApiException, Configuration, Error, NewPet, PetsApi


def connect(api_key):
    return PetsApi(ApiClient(Configuration(host=os.environ["BASE_URL"], access_token=api_key)))


def print_error(call):
    try:
        call()
    except ApiException as error:
        assert isinstance(error.data, Error)
        print(error.data.status, error.data.code)


pets = connect(os.environ["API_KEY"])
print("created", pets.create_pet(NewPet(name="Rex", category_id=2**63 - 1)).category_id)
print("read", pets.get_pet(1).category_id)
first = pets.list_pets_with_http_info(limit=2)
print("page", len(first.data))
# The generated client looks up headers by case; HTTP does not.
link = next(value for name, value in first.headers.items() if name.lower() == "link")
cursor = re.search(r"cursor=([\w-]+)", link)[1]
print("page", len(pets.list_pets(limit=2, cursor=cursor)))
print_error(lambda: pets.list_pets(cursor="A" * 20))
print_error(lambda: connect("wrong").list_pets())
print_error(lambda: pets.get_pet(2**63 - 1))
