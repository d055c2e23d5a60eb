import os
import re

from generated.pet_store_client import AuthenticatedClient
from generated.pet_store_client.api.pets import create_pet, get_pet, list_pets
from generated.pet_store_client.models import Error, NewPet


def connect(api_key):
    return AuthenticatedClient(base_url=os.environ["BASE_URL"], token=api_key)


def print_error(result):
    assert isinstance(result, Error)
    print(int(result.status), str(result.code))


pets = connect(os.environ["API_KEY"])
new_pet = NewPet(name="Rex", category_id=2**63 - 1)
print("created", create_pet.sync(client=pets, body=new_pet).category_id)
print("read", get_pet.sync(1, client=pets).category_id)
first = list_pets.sync_detailed(client=pets, limit=2)
print("page", len(first.parsed))
cursor = re.search(r"cursor=([\w-]+)", first.headers["Link"])[1]
print("page", len(list_pets.sync(client=pets, limit=2, cursor=cursor)))
print_error(list_pets.sync(client=pets, cursor="A" * 20))
print_error(list_pets.sync(client=connect("wrong")))
print_error(get_pet.sync(2**63 - 1, client=pets))
