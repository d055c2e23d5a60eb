package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"

	petstore "sample/generated"
)

func connect() *petstore.PetsAPIService {
	configuration := petstore.NewConfiguration()
	configuration.Servers = petstore.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	return petstore.NewAPIClient(configuration).PetsAPI
}

func withKey(key string) context.Context {
	return context.WithValue(context.Background(), petstore.ContextAccessToken, key)
}

func printError(err error) {
	var response *petstore.GenericOpenAPIError
	if !errors.As(err, &response) {
		panic(err)
	}
	body := response.Model().(petstore.Error)
	fmt.Println(body.Status, body.Code)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	pets, key := connect(), withKey(os.Getenv("API_KEY"))
	created, _, err := pets.CreatePet(key).PetInput(*petstore.NewPetInput("Rex", math.MaxInt64)).Execute()
	check(err)
	fmt.Println("created", created.CategoryId)
	read, _, err := pets.GetPet(key, 1).Execute()
	check(err)
	fmt.Println("read", read.CategoryId)
	first, response, err := pets.ListPets(key).Limit(2).Execute()
	check(err)
	fmt.Println("page", len(first))
	cursor := regexp.MustCompile(`cursor=([\w-]+)`).FindStringSubmatch(response.Header.Get("Link"))[1]
	second, _, err := pets.ListPets(key).Limit(2).Cursor(cursor).Execute()
	check(err)
	fmt.Println("page", len(second))
	_, _, err = pets.ListPets(key).Cursor(strings.Repeat("A", 20)).Execute()
	printError(err)
	_, _, err = pets.ListPets(withKey("wrong")).Execute()
	printError(err)
	_, _, err = pets.GetPet(key, math.MaxInt64).Execute()
	printError(err)
}
