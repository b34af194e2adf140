// Tests of /lab with the standard library of Go.
package lab

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"testing"
)

const serverAPI = "api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6"

func requestToken(t *testing.T, run string) *http.Response {
	t.Helper()
	form := url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {os.Getenv("ADMINISTRATOR_ID")},
		"client_secret": {os.Getenv("ADMINISTRATOR_SECRET")},
		"scope":         {serverAPI + "/.default"},
	}
	endpoint := os.Getenv("AUTH_URL") + "/" + os.Getenv("TENANT_ID") + "/oauth2/v2.0/token"
	request, _ := http.NewRequest("POST", endpoint, bytes.NewBufferString(form.Encode()))
	request.Header.Set("content-type", "application/x-www-form-urlencoded")
	if run != "" {
		request.Header.Set("x-greeting-run", run)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func lab(t *testing.T, method, path string, body any) map[string]any {
	t.Helper()
	var token struct {
		AccessToken string `json:"access_token"`
	}
	answer := requestToken(t, "")
	defer answer.Body.Close()
	json.NewDecoder(answer.Body).Decode(&token)
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, os.Getenv("AUTH_URL")+"/lab"+path, bytes.NewReader(text))
	request.Header.Set("authorization", "Bearer "+token.AccessToken)
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		t.Fatalf("%s %s: status %d", method, path, response.StatusCode)
	}
	result := map[string]any{}
	json.NewDecoder(response.Body).Decode(&result)
	return result
}

func TestFaultBreaksOneRunOnly(t *testing.T) {
	lab(t, "POST", "/reset", nil)
	lab(t, "POST", "/faults", map[string]any{"at": "token", "fault": "status", "status": 500, "run": "go"})
	if answer := requestToken(t, "go"); answer.StatusCode != 500 {
		t.Fatalf("status %d, expected 500", answer.StatusCode)
	}
	if answer := requestToken(t, "go"); answer.StatusCode != 200 {
		t.Fatalf("status %d, expected 200", answer.StatusCode)
	}
}

func TestHostileTokens(t *testing.T) {
	tokens := lab(t, "POST", "/forgeries", map[string]any{"api": os.Getenv("API_APPLICATION_ID")})
	if count := len(tokens["forgeries"].([]any)); count < 40 {
		t.Fatalf("%d hostile tokens", count)
	}
}
