// The six registration steps with the Graph SDK, and the failures that its user meets.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/google/uuid"
	abstractions "github.com/microsoft/kiota-abstractions-go"
	msgraphsdk "github.com/microsoftgraph/msgraph-sdk-go"
	"github.com/microsoftgraph/msgraph-sdk-go-core/authentication"
	"github.com/microsoftgraph/msgraph-sdk-go/applications"
	"github.com/microsoftgraph/msgraph-sdk-go/models"
	"github.com/microsoftgraph/msgraph-sdk-go/models/odataerrors"
)

var (
	ctx         = context.Background()
	authority   = os.Getenv("HTTPS_AUTH_URL")
	greetingAPI = os.Getenv("API_APPLICATION_ID")
	refusal     = regexp.MustCompile(`AADSTS\d+: [^.]+`)
)

func main() {
	fmt.Println("# Steps 1 and 2: the application of the API, with an app role")
	administrator := graph(os.Getenv("ADMINISTRATOR_ID"), os.Getenv("ADMINISTRATOR_SECRET"))
	role := models.NewAppRole()
	role.SetId(pointer(uuid.New()))
	role.SetAllowedMemberTypes([]string{"Application"})
	role.SetDisplayName(pointer("Read orders"))
	role.SetDescription(pointer("Reads all orders."))
	role.SetIsEnabled(pointer(true))
	role.SetValue(pointer("Orders.Read"))
	wanted := application("go orders")
	wanted.SetAppRoles([]models.AppRoleable{role})
	wanted.SetTags([]string{"orders"})
	wanted.SetNotes(pointer("by the SDK"))
	orders := result(administrator.Applications().Post(ctx, wanted, nil))
	thisAPI := administrator.Applications().ByApplicationId(*orders.GetId())
	change := models.NewApplication()
	change.SetIdentifierUris([]string{"api://" + *orders.GetAppId()})
	result(thisAPI.Patch(ctx, change, nil))
	shown := result(thisAPI.Get(ctx, nil))
	fmt.Println(*shown.GetDisplayName(), shown.GetTags(), *shown.GetNotes(), *shown.GetAppRoles()[0].GetValue())
	printRefusal(administrator.Applications().Post(ctx, application(""), nil))
	printRefusal(administrator.Applications().ByApplicationId(uuid.Max.String()).Get(ctx, nil))

	fmt.Println("\n# Step 3: the application of the client, and both service principals")
	client := result(administrator.Applications().Post(ctx, application("go client"), nil))
	apiPrincipal := result(administrator.ServicePrincipals().Post(ctx, servicePrincipal(orders), nil))
	principal := result(administrator.ServicePrincipals().Post(ctx, servicePrincipal(client), nil))
	fmt.Println(*apiPrincipal.GetDisplayName(), "|", *principal.GetDisplayName())
	printRefusal(administrator.ServicePrincipals().Post(ctx, servicePrincipal(client), nil))

	fmt.Println("\n# Step 4: the requested permission")
	access := models.NewResourceAccess()
	access.SetId(role.GetId())
	access.SetTypeEscaped(pointer("Role"))
	required := models.NewRequiredResourceAccess()
	required.SetResourceAppId(orders.GetAppId())
	required.SetResourceAccess([]models.ResourceAccessable{access})
	thisClient := administrator.Applications().ByApplicationId(*client.GetId())
	change = models.NewApplication()
	change.SetRequiredResourceAccess([]models.RequiredResourceAccessable{required})
	result(thisClient.Patch(ctx, change, nil))
	requested := result(thisClient.Get(ctx, nil)).GetRequiredResourceAccess()
	fmt.Println(*requested[0].GetResourceAccess()[0].GetTypeEscaped())

	fmt.Println("\n# Step 5: admin consent")
	assign := func(resource models.ServicePrincipalable, roleID *uuid.UUID) (models.AppRoleAssignmentable, error) {
		assignment := models.NewAppRoleAssignment()
		assignment.SetPrincipalId(pointer(uuid.MustParse(*principal.GetId())))
		assignment.SetResourceId(pointer(uuid.MustParse(*resource.GetId())))
		assignment.SetAppRoleId(roleID)
		return administrator.ServicePrincipals().ByServicePrincipalId(*resource.GetId()).AppRoleAssignedTo().Post(ctx, assignment, nil)
	}
	assigned := result(assign(apiPrincipal, role.GetId()))
	fmt.Println(*assigned.GetPrincipalDisplayName(), "|", *assigned.GetResourceDisplayName())
	printRefusal(assign(apiPrincipal, role.GetId()))
	greeting := result(administrator.ServicePrincipalsWithAppId(&greetingAPI).Get(ctx, nil))
	roles := greeting.GetAppRoles()
	hi := slices.IndexFunc(roles, func(role models.AppRoleable) bool { return *role.GetValue() == "CallHiApiRole" })
	consent := result(assign(greeting, roles[hi].GetId()))

	fmt.Println("\n# Step 6: a secret, and the first token")
	newSecret := func(name string) models.PasswordCredentialable {
		credential := models.NewPasswordCredential()
		credential.SetDisplayName(&name)
		body := applications.NewItemAddPasswordPostRequestBody()
		body.SetPasswordCredential(credential)
		return result(thisClient.AddPassword().Post(ctx, body, nil))
	}
	id := *client.GetAppId()
	first := newSecret("first")
	fmt.Println(rolesOf(result(token(id, *first.GetSecretText(), *orders.GetAppId()))))
	fmt.Println(callHi(id, *first.GetSecretText()))
	fmt.Println(callHi(id, "wrong"))
	_, err := token(id, *first.GetSecretText(), "unknown")
	fmt.Println(refusal.FindString(err.Error()))
	printRefusal(graph(id, *first.GetSecretText()).Applications().Post(ctx, application("not permitted"), nil))

	fmt.Println("\n# A secret rotation")
	second := newSecret("second")
	fmt.Println(callHi(id, *first.GetSecretText()))
	fmt.Println(callHi(id, *second.GetSecretText()))
	removal := applications.NewItemRemovePasswordPostRequestBody()
	removal.SetKeyId(first.GetKeyId())
	must(thisClient.RemovePassword().Post(ctx, removal, nil))
	fmt.Println(callHi(id, *first.GetSecretText()))

	fmt.Println("\n# A withdrawn consent")
	assignments := administrator.ServicePrincipals().ByServicePrincipalId(*greeting.GetId()).AppRoleAssignedTo()
	must(assignments.ByAppRoleAssignmentId(*consent.GetId()).Delete(ctx, nil))
	fmt.Println(callHi(id, *second.GetSecretText()))

	fmt.Println("\n# Queries")
	headers := abstractions.NewRequestHeaders()
	headers.Add("ConsistencyLevel", "eventual")
	page := result(administrator.Applications().Get(ctx, &applications.ApplicationsRequestBuilderGetRequestConfiguration{
		Headers: headers,
		QueryParameters: &applications.ApplicationsRequestBuilderGetQueryParameters{
			Filter: pointer("startswith(displayName,'go ')"), Orderby: []string{"displayName"},
			Select: []string{"displayName"}, Count: pointer(true)}}))
	fmt.Println(*page.GetOdataCount(), *page.GetValue()[0].GetDisplayName(), "|", *page.GetValue()[1].GetDisplayName())

	fmt.Println("\n# Removal")
	must(thisClient.Delete(ctx, nil))
	must(thisAPI.Delete(ctx, nil))
	printRefusal(thisClient.Get(ctx, nil))
}

func application(displayName string) models.Applicationable {
	body := models.NewApplication()
	body.SetDisplayName(&displayName)
	return body
}

func servicePrincipal(of models.Applicationable) models.ServicePrincipalable {
	body := models.NewServicePrincipal()
	body.SetAppId(of.GetAppId())
	return body
}

func credential(id, secret string) azcore.TokenCredential {
	options := azcore.ClientOptions{Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: authority}}
	return result(azidentity.NewClientSecretCredential(os.Getenv("TENANT_ID"), id, secret,
		&azidentity.ClientSecretCredentialOptions{ClientOptions: options, DisableInstanceDiscovery: true}))
}

func graph(id, secret string) *msgraphsdk.GraphServiceClient {
	host := result(url.Parse(authority)).Hostname()
	provider := result(authentication.NewAzureIdentityAuthenticationProviderWithScopesAndValidHosts(
		credential(id, secret), []string{authority + "/.default"}, []string{host}))
	adapter := result(msgraphsdk.NewGraphRequestAdapter(provider))
	adapter.SetBaseUrl(authority + "/v1.0")
	return msgraphsdk.NewGraphServiceClient(adapter)
}

func token(id, secret, api string) (string, error) {
	scopes := []string{"api://" + api + "/.default"}
	access, err := credential(id, secret).GetToken(ctx, policy.TokenRequestOptions{Scopes: scopes})
	return access.Token, err
}

func rolesOf(accessToken string) string {
	payload := result(base64.RawURLEncoding.DecodeString(strings.Split(accessToken, ".")[1]))
	var claims struct{ Roles []string }
	must(json.Unmarshal(payload, &claims))
	return strings.Join(claims.Roles, " ")
}

// callHi calls the greeting API, and returns the status and the body, or the refusal of the token.
func callHi(id, secret string) string {
	accessToken, err := token(id, secret, greetingAPI)
	if err != nil {
		return refusal.FindString(err.Error())
	}
	request := result(http.NewRequest(http.MethodGet, os.Getenv("BASE_URL")+"/api/v1/hi", nil))
	request.Header.Set("authorization", "Bearer "+accessToken)
	response := result(http.DefaultClient.Do(request))
	defer response.Body.Close()
	return fmt.Sprint(response.StatusCode, " ", string(result(io.ReadAll(response.Body))))
}

func printRefusal(_ any, err error) {
	var refused *odataerrors.ODataError
	if !errors.As(err, &refused) {
		panic(fmt.Sprint("expected a refusal: ", err))
	}
	fmt.Println(refused.GetStatusCode(), *refused.GetErrorEscaped().GetCode(), "|", *refused.GetErrorEscaped().GetMessage())
}

func pointer[T any](value T) *T { return &value }

func result[T any](value T, err error) T {
	must(err)
	return value
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
