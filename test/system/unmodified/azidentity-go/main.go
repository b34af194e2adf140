// Tokens by azidentity and MSAL for Go, and the failures that their user meets.
package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/confidential"
)

var (
	ctx       = context.Background()
	authority = os.Getenv("HTTPS_AUTH_URL")
	tenant    = os.Getenv("TENANT_ID")
	client    = os.Getenv("CLIENT_ID")
	apiScope  = "api://" + os.Getenv("API_APPLICATION_ID") + "/.default"
	options   = azcore.ClientOptions{Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: authority}}
	refusal   = regexp.MustCompile(`AADSTS\d+: [^.]+`)
)

func main() {
	secret := os.Getenv("CLIENT_SECRET")
	thisClient := "applications(appId='" + client + "')"

	fmt.Println("# A token by secret")
	fmt.Println(callHi(bySecret(client, secret)))
	fmt.Println(msalToken(secret, apiScope))

	fmt.Println("\n# A token by certificate")
	certificate, key := newCertificate()
	byCertificate, err := azidentity.NewClientCertificateCredential(tenant, client,
		[]*x509.Certificate{certificate}, key, &azidentity.ClientCertificateCredentialOptions{
			ClientOptions: options, DisableInstanceDiscovery: true})
	must(err)
	fmt.Println(callHi(byCertificate))
	graph("PATCH", thisClient, map[string]any{"keyCredentials": []any{map[string]string{
		"type": "AsymmetricX509Cert", "usage": "Verify", "key": base64.StdEncoding.EncodeToString(certificate.Raw)}}})
	fmt.Println(callHi(byCertificate))

	fmt.Println("\n# Refusals")
	fmt.Println(callHi(bySecret(client, "wrong")))
	fmt.Println(msalToken("wrong", apiScope))
	fmt.Println(msalToken(secret, "api://unknown/.default"))
	fmt.Println(callHi(bySecret("11111111-2222-4333-8444-555555555555", "wrong")))

	fmt.Println("\n# A secret rotation")
	second := graph("POST", thisClient+"/addPassword", map[string]any{"passwordCredential": map[string]string{"displayName": "second"}})
	newSecret := second["secretText"].(string)
	fmt.Println(callHi(bySecret(client, secret)))
	fmt.Println(callHi(bySecret(client, newSecret)))
	for _, credential := range graph("GET", thisClient, nil)["passwordCredentials"].([]any) {
		if id := credential.(map[string]any)["keyId"]; id != second["keyId"] {
			graph("POST", thisClient+"/removePassword", map[string]any{"keyId": id})
		}
	}
	fmt.Println(callHi(bySecret(client, secret)))

	fmt.Println("\n# A withdrawn consent")
	principal := "servicePrincipals(appId='" + client + "')/appRoleAssignments"
	for _, assignment := range graph("GET", principal, nil)["value"].([]any) {
		graph("DELETE", principal+"/"+assignment.(map[string]any)["id"].(string), nil)
	}
	fmt.Println(callHi(bySecret(client, newSecret)))

	fmt.Println("\n# Agent identities")
	agents()
}

func bySecret(id, secret string) azcore.TokenCredential {
	credential, err := azidentity.NewClientSecretCredential(tenant, id, secret,
		&azidentity.ClientSecretCredentialOptions{ClientOptions: options, DisableInstanceDiscovery: true})
	must(err)
	return credential
}

// callHi calls the greeting API over HTTPS, by the pipeline of the SDK, and returns the status and the body.
func callHi(credential azcore.TokenCredential) string {
	bearer := runtime.NewBearerTokenPolicy(credential, []string{apiScope}, nil)
	pipeline := runtime.NewPipeline("greeting", "1.0.0", runtime.PipelineOptions{PerRetry: []policy.Policy{bearer}}, &options)
	request, err := runtime.NewRequest(ctx, http.MethodGet, os.Getenv("HTTPS_BASE_URL")+"/api/v1/hi")
	must(err)
	response, err := pipeline.Do(request)
	if err != nil {
		return refused(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(err)
	return fmt.Sprint(response.StatusCode, " ", string(body))
}

// msalToken requests a token by MSAL, twice, and returns the sources of both tokens or the refusal.
func msalToken(secret, scope string) string {
	credential, err := confidential.NewCredFromSecret(secret)
	must(err)
	app, err := confidential.New(authority+"/"+tenant, client, credential, confidential.WithInstanceDiscovery(false))
	must(err)
	if _, err := app.AcquireTokenByCredential(ctx, []string{scope}); err != nil {
		return refused(err)
	}
	again, err := app.AcquireTokenByCredential(ctx, []string{scope})
	must(err)
	return fmt.Sprint("MSAL: token, from the cache: ", again.Metadata.TokenSource == confidential.TokenSourceCache)
}

const exchangeScope = "api://AzureADTokenExchange/.default"

// agents calls the greeting API as agent identities of a blueprint, and meets the refusals of their users.
func agents() {
	blueprintID, agentID, siblingID := os.Getenv("BLUEPRINT"), os.Getenv("AGENT"), os.Getenv("SIBLING")
	bySecret, err := confidential.NewCredFromSecret(os.Getenv("BLUEPRINT_SECRET"))
	must(err)
	certificate, key := readCertificate("certificate.pem", "key.pem")
	byCertificate, err := confidential.NewCredFromCert([]*x509.Certificate{certificate}, key)
	must(err)
	blueprint := application(blueprintID, bySecret)
	for _, of := range []confidential.Client{blueprint, application(blueprintID, byCertificate)} {
		agent := agentOf(of, agentID, agentID)
		fmt.Print(hiAs(agent))
		again, err := agent.AcquireTokenByCredential(ctx, []string{apiScope})
		must(err)
		fmt.Println(" | from the cache:", again.Metadata.TokenSource == confidential.TokenSourceCache)
	}
	exchanged, err := exchange(blueprint, agentID)
	must(err)
	other, err := exchange(blueprint, siblingID)
	must(err)
	cached := exchanged.Metadata.TokenSource == confidential.TokenSourceCache
	fmt.Println("from the cache:", cached, "shared:", exchanged.AccessToken == other.AccessToken)
	fmt.Println(hiAs(agentOf(blueprint, siblingID, siblingID)))
	fmt.Println(hiAs(agentOf(blueprint, siblingID, agentID)))
	_, err = blueprint.AcquireTokenByCredential(ctx, []string{exchangeScope})
	fmt.Println(refused(err))
	fmt.Println(hiAs(blueprint))
	fmt.Println(hiWith(exchanged.AccessToken))
}

func application(id string, credential confidential.Credential) confidential.Client {
	app, err := confidential.New(authority+"/"+tenant, id, credential, confidential.WithInstanceDiscovery(false))
	must(err)
	return app
}

func exchange(blueprint confidential.Client, path string) (confidential.AuthResult, error) {
	return blueprint.AcquireTokenByCredential(ctx, []string{exchangeScope}, confidential.WithFMIPath(path))
}

// agentOf is an agent identity, whose assertion is a token that its blueprint obtains for a path.
func agentOf(blueprint confidential.Client, id, path string) confidential.Client {
	return application(id, confidential.NewCredFromAssertionCallback(
		func(context.Context, confidential.AssertionRequestOptions) (string, error) {
			token, err := exchange(blueprint, path)
			return token.AccessToken, err
		}))
}

func hiAs(app confidential.Client) string {
	token, err := app.AcquireTokenByCredential(ctx, []string{apiScope})
	if err != nil {
		return refused(err)
	}
	return hiWith(token.AccessToken)
}

func hiWith(token string) string {
	request, err := http.NewRequest(http.MethodGet, os.Getenv("HTTPS_BASE_URL")+"/api/v1/hi", nil)
	must(err)
	request.Header.Set("authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(err)
	return fmt.Sprint(response.StatusCode, " ", string(body))
}

func readCertificate(certificateFile, keyFile string) (*x509.Certificate, crypto.PrivateKey) {
	pair, err := tls.LoadX509KeyPair(certificateFile, keyFile)
	must(err)
	certificate, err := x509.ParseCertificate(pair.Certificate[0])
	must(err)
	return certificate, pair.PrivateKey
}

// graph sends a request as the administrator, and returns the body of the answer.
func graph(method, path string, body any) map[string]any {
	token, err := administrator.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{authority + "/.default"}})
	must(err)
	content, err := json.Marshal(body)
	must(err)
	request, err := http.NewRequest(method, authority+"/v1.0/"+path, bytes.NewReader(content))
	must(err)
	request.Header.Set("authorization", "Bearer "+token.Token)
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	must(err)
	defer response.Body.Close()
	answer := map[string]any{}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil && err != io.EOF {
		panic(err)
	}
	if response.StatusCode >= 300 {
		panic(fmt.Sprint(method, " ", path, ": ", response.Status, " ", answer))
	}
	return answer
}

var administrator = bySecret(os.Getenv("ADMINISTRATOR_ID"), os.Getenv("ADMINISTRATOR_SECRET"))

func newCertificate() (*x509.Certificate, crypto.PrivateKey) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().AddDate(0, 1, 0)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	must(err)
	certificate, err := x509.ParseCertificate(der)
	must(err)
	return certificate, key
}

func refused(err error) string {
	if found := refusal.FindString(err.Error()); found != "" {
		return found
	}
	return "another refusal: " + err.Error()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
