import java.util.List;
import java.util.regex.Pattern;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.PetsApi;
import org.openapitools.client.model.NewPet;
import org.openapitools.client.model.Pet;

class Sample {
  interface Call {
    Object run() throws ApiException;
  }

  static PetsApi connect(String apiKey) {
    var client = new ApiClient().setBasePath(System.getenv("BASE_URL"));
    client.setBearerToken(apiKey);
    return new PetsApi(client);
  }

  static void printError(Call call) {
    try {
      call.run();
    } catch (ApiException exception) {
      var error = (org.openapitools.client.model.Error) exception.getErrorObject();
      System.out.println(error.getStatus() + " " + error.getCode());
    }
  }

  @SuppressWarnings("deprecation")
  public static void main(String[] args) throws ApiException {
    var pets = connect(System.getenv("API_KEY"));
    var newPet = new NewPet().name("Rex").categoryId(Long.MAX_VALUE);
    System.out.println("created " + pets.createPet(newPet, null).getCategoryId());
    System.out.println("read " + pets.getPet(1L).getCategoryId());
    var first = pets.listPetsWithHttpInfo(2, null, null);
    System.out.println("page " + first.getData().size());
    var link = Pattern.compile("cursor=([\\w-]+)").matcher(first.getHeaders().get("link").get(0));
    link.find();
    List<Pet> second = pets.listPets(2, null, link.group(1));
    System.out.println("page " + second.size());
    printError(() -> pets.listPets(null, null, "A".repeat(20)));
    printError(() -> connect("wrong").listPets(null, null, null));
    printError(() -> pets.getPet(Long.MAX_VALUE));
  }
}
