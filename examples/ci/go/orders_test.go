// Package orders is an API that verifies tokens, with its tests with real tokens. The variables are those of test.env.
package orders

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

var (
	tenant   = os.Getenv("AUTH_URL") + "/" + os.Getenv("TENANT_ID")
	audience = "api://" + os.Getenv("API_APPLICATION_ID")
	bearer   = "Bearer "
)

type claims struct {
	Roles []string `json:"roles"`
	jwt.RegisteredClaims
}

func api(t *testing.T) http.Handler {
	keys, err := keyfunc.NewDefaultCtx(t.Context(), []string{tenant + "/discovery/keys"})
	if err != nil {
		t.Fatal(err)
	}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithAudience(audience),
		jwt.WithIssuer(tenant+"/"), jwt.WithExpirationRequired())
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		token, isBearer := strings.CutPrefix(request.Header.Get("authorization"), bearer)
		var caller claims
		if _, err := parser.ParseWithClaims(token, &caller, keys.Keyfunc); !isBearer || err != nil {
			response.WriteHeader(http.StatusUnauthorized)
		} else if !slices.Contains(caller.Roles, "Orders.Read") {
			response.WriteHeader(http.StatusForbidden)
		} else {
			response.Write([]byte("[]"))
		}
	})
}

func token(t *testing.T, clientID string) string {
	answer, err := http.PostForm(tenant+"/oauth2/v2.0/token", url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {clientID},
		"client_secret": {os.Getenv("CLIENT_SECRET")},
		"scope":         {audience + "/.default"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || body.AccessToken == "" {
		t.Fatal("no token", answer.Status, err)
	}
	return body.AccessToken
}

func TestOrders(t *testing.T) {
	handler, genuine := api(t), token(t, os.Getenv("CLIENT_ID"))
	for _, row := range []struct {
		name, authorization string
		status              int
	}{
		{"without a token", "", 401},
		{"with a forged signature", bearer + genuine[:strings.LastIndex(genuine, ".")] + ".AAAA", 401},
		{"without the role", bearer + token(t, os.Getenv("CLIENT_ID_WITHOUT_ROLE")), 403},
		{"with the role", bearer + genuine, 200},
	} {
		t.Run(row.name, func(t *testing.T) {
			request, response := httptest.NewRequest("GET", "/orders", nil), httptest.NewRecorder()
			request.Header.Set("authorization", row.authorization)
			handler.ServeHTTP(response, request)
			if response.Code != row.status {
				t.Fatalf("status %d, expected %d", response.Code, row.status)
			}
		})
	}
}
