package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"regexp"
	"strings"

	petstore "sample/generated"
)

func connect(key string) *petstore.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	client, err := petstore.NewClientWithResponses(os.Getenv("BASE_URL"), petstore.WithRequestEditorFn(authorize))
	check(err)
	return client
}

func printError(body *petstore.Error) {
	fmt.Println(body.Status, body.Code)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	pets, ctx := connect(os.Getenv("API_KEY")), context.Background()
	newPet := petstore.NewPet{Name: "Rex", CategoryId: math.MaxInt64}
	created, err := pets.CreatePetWithResponse(ctx, nil, newPet)
	check(err)
	fmt.Println("created", created.JSON201.CategoryId)
	read, err := pets.GetPetWithResponse(ctx, 1)
	check(err)
	fmt.Println("read", read.JSON200.CategoryId)
	limit := int32(2)
	first, err := pets.ListPetsWithResponse(ctx, &petstore.ListPetsParams{Limit: &limit})
	check(err)
	fmt.Println("page", len(*first.JSON200))
	link := first.HTTPResponse.Header.Get("Link")
	cursor := regexp.MustCompile(`cursor=([\w-]+)`).FindStringSubmatch(link)[1]
	second, err := pets.ListPetsWithResponse(ctx, &petstore.ListPetsParams{Limit: &limit, Cursor: &cursor})
	check(err)
	fmt.Println("page", len(*second.JSON200))
	forged := strings.Repeat("A", 20)
	refused, err := pets.ListPetsWithResponse(ctx, &petstore.ListPetsParams{Cursor: &forged})
	check(err)
	printError(refused.JSON400)
	stranger, err := connect("wrong").ListPetsWithResponse(ctx, nil)
	check(err)
	printError(stranger.JSON401)
	absent, err := pets.GetPetWithResponse(ctx, math.MaxInt64)
	check(err)
	printError(absent.JSON404)
}
