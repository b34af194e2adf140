// Tools of an MCP server by the SDK for Go, and the failures that its user meets.
package main

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

var reason = regexp.MustCompile(`AADSTS\d+: [^.]+|does not implement PKCE|403 Forbidden|Forbidden`)

func main() {
	ctx := context.Background()
	handler, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{
		Credentials: &oauthex.ClientCredentials{
			ClientID:         os.Getenv("CLIENT_ID"),
			ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: os.Getenv("CLIENT_SECRET")},
			Issuer:           os.Getenv("AUTH_URL") + "/" + os.Getenv("TENANT_ID") + "/v2.0",
		},
	})
	if err != nil {
		panic(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: os.Getenv("MCP_URL"), OAuthHandler: handler}, nil)
	if err != nil {
		fmt.Println(refused(err))
		return
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		panic(err)
	}
	for _, tool := range tools.Tools {
		fmt.Print(tool.Name, " ")
	}
	fmt.Println()
	for _, name := range []string{"hi", "hello"} {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name})
		if err != nil {
			fmt.Println(name+":", refused(err))
			continue
		}
		fmt.Println(name+":", result.Content[0].(*mcp.TextContent).Text)
	}
}

func refused(err error) string {
	if found := reason.FindString(err.Error()); found != "" {
		return found
	}
	return "another refusal: " + err.Error()
}
