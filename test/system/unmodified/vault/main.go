// The Azure secrets engine of Vault in one process: credentials with a lease, and the failures that its user meets.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/hashicorp/go-hclog"
	azuresecrets "github.com/hashicorp/vault-plugin-secrets-azure"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/rotation"
)

var (
	ctx      = context.Background()
	tenant   = os.Getenv("TENANT_ID")
	apiScope = "api://" + os.Getenv("API_APPLICATION_ID") + "/.default"
	refusal  = regexp.MustCompile(`AADSTS\d+: [^.]+`)
)

// engine is the secrets engine, with its storage in memory.
type engine struct {
	logical.Backend
	storage logical.Storage
}

// system is the view of Vault for the engine. The engine removes its job of automated rotation, but there is none.
type system struct {
	logical.StaticSystemView
}

func (system) DeregisterRotationJob(context.Context, *rotation.RotationJobDeregisterRequest) error {
	return nil
}

func main() {
	applicationObject := os.Getenv("APPLICATION_OBJECT_ID")
	root := map[string]any{
		"tenant_id": tenant, "subscription_id": tenant,
		"client_id": os.Getenv("ROOT_ID"), "client_secret": os.Getenv("ROOT_SECRET")}
	vault := newEngine()

	fmt.Println("# Refusals of the configuration")
	vault.write("config", with(root, "client_secret", "wrong"))
	fmt.Println(vault.refused("roles/orders", map[string]any{"application_object_id": applicationObject}))
	vault.write("config", with(root, "client_id", "11111111-2222-4333-8444-555555555555"))
	fmt.Println(vault.refused("roles/orders", map[string]any{"application_object_id": applicationObject}))
	vault.write("config", map[string]any{"client_id": os.Getenv("CLIENT_ID"), "client_secret": os.Getenv("CLIENT_SECRET")})
	fmt.Println(vault.refused("roles/orders", map[string]any{"application_object_id": applicationObject}))

	fmt.Println("\n# A role for an application")
	vault.write("config", root)
	fmt.Println(vault.refused("roles/orders", map[string]any{"application_object_id": "11111111-2222-4333-8444-555555555555"}))
	vault.write("roles/orders", map[string]any{"application_object_id": applicationObject, "ttl": 3600})
	fmt.Println(vault.read("roles/orders").Data["application_object_id"])
	fmt.Println(vault.read("creds/unknown").Error())

	fmt.Println("\n# Two leases")
	first := vault.read("creds/orders")
	second := vault.read("creds/orders")
	fmt.Println(first.Secret.TTL, callHi(first))
	fmt.Println(second.Secret.TTL, callHi(second))

	fmt.Println("\n# A revoked lease")
	vault.revoke(first)
	fmt.Println(callHi(first))
	fmt.Println(callHi(second))

	fmt.Println("\n# A rotation of the root secret")
	vault.write("rotate-root", nil)
	vault.ageNewRootSecret()
	_, err := vault.handle(&logical.Request{Operation: logical.RollbackOperation})
	must(err)
	_, err = token(os.Getenv("ROOT_ID"), os.Getenv("ROOT_SECRET"))
	fmt.Println(refusal.FindString(err.Error()))
	vault.revoke(second)
	fmt.Println(callHi(second))
	third := vault.read("creds/orders")
	fmt.Println(third.Secret.TTL, callHi(third))
}

func newEngine() engine {
	storage := &logical.InmemStorage{}
	config := &logical.BackendConfig{
		Logger: hclog.NewNullLogger(), StorageView: storage,
		System: system{logical.StaticSystemView{DefaultLeaseTTLVal: time.Hour, MaxLeaseTTLVal: 24 * time.Hour}}}
	backend, err := azuresecrets.Factory(ctx, config)
	must(err)
	must(backend.Initialize(ctx, &logical.InitializationRequest{Storage: storage}))
	return engine{backend, storage}
}

func (e engine) handle(request *logical.Request) (*logical.Response, error) {
	request.Storage = e.storage
	return e.HandleRequest(ctx, request)
}

// read reads a path. The response may be an error of the engine.
func (e engine) read(path string) *logical.Response {
	response, err := e.handle(&logical.Request{Operation: logical.ReadOperation, Path: path})
	must(err)
	return response
}

// write writes a path, as Vault does: it creates what is not there.
func (e engine) write(path string, data map[string]any) {
	response, err := e.put(path, data)
	must(err)
	must(response.Error())
}

// refused writes a path, and returns the refusal.
func (e engine) refused(path string, data map[string]any) string {
	_, err := e.put(path, data)
	if found := refusal.FindString(err.Error()); found != "" {
		return found
	}
	return err.Error()
}

func (e engine) put(path string, data map[string]any) (*logical.Response, error) {
	request := &logical.Request{Operation: logical.UpdateOperation, Path: path, Data: data, Storage: e.storage}
	hasCheck, exists, err := e.HandleExistenceCheck(ctx, request)
	must(err)
	if hasCheck && !exists {
		request.Operation = logical.CreateOperation
	}
	return e.handle(request)
}

// revoke ends a lease. The secret of a lease is stored as JSON, and read again.
func (e engine) revoke(lease *logical.Response) {
	_, err := e.handle(&logical.Request{Operation: logical.RevokeOperation, Secret: lease.Secret})
	must(err)
}

// ageNewRootSecret makes the new secret of the engine older: it is used after a minute.
func (e engine) ageNewRootSecret() {
	entry, err := e.storage.Get(ctx, "config")
	must(err)
	config := map[string]any{}
	must(entry.DecodeJSON(&config))
	config["new_client_secret_created"] = time.Now().Add(-2 * time.Minute)
	entry, err = logical.StorageEntryJSON("config", config)
	must(err)
	must(e.storage.Put(ctx, entry))
	e.InvalidateKey(ctx, "config")
}

func token(id, secret string) (string, error) {
	credential, err := azidentity.NewClientSecretCredential(tenant, id, secret, nil)
	must(err)
	access, err := credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{apiScope}})
	return access.Token, err
}

// callHi calls the greeting API with the secret of a lease, and returns the status and the body, or the refusal of the token.
func callHi(lease *logical.Response) string {
	accessToken, err := token(lease.Data["client_id"].(string), lease.Data["client_secret"].(string))
	if err != nil {
		return refusal.FindString(err.Error())
	}
	request, err := http.NewRequest(http.MethodGet, os.Getenv("BASE_URL")+"/api/v1/hi", nil)
	must(err)
	request.Header.Set("authorization", "Bearer "+accessToken)
	response, err := http.DefaultClient.Do(request)
	must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(err)
	return fmt.Sprint(response.StatusCode, " ", string(body))
}

func with(values map[string]any, name string, value any) map[string]any {
	copied := map[string]any{}
	for key, one := range values {
		copied[key] = one
	}
	copied[name] = value
	return copied
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
