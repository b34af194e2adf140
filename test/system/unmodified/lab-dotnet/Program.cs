using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Text.Json;

// Tests a client of the identity provider over /lab. It needs only the standard library of .NET.
string Setting(string name) => Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException(name);
const string serverApi = "api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6";
using var http = new HttpClient();

// Requests a token as the administrator, within a run.
async Task<HttpResponseMessage> RequestToken(string run)
{
    var request = new HttpRequestMessage(HttpMethod.Post, $"{Setting("AUTH_URL")}/{Setting("TENANT_ID")}/oauth2/v2.0/token")
    {
        Content = new FormUrlEncodedContent(new Dictionary<string, string>
        {
            ["grant_type"] = "client_credentials",
            ["client_id"] = Setting("ADMINISTRATOR_ID"),
            ["client_secret"] = Setting("ADMINISTRATOR_SECRET"),
            ["scope"] = serverApi + "/.default",
        }),
    };
    request.Headers.Add("x-greeting-run", run);
    return await http.SendAsync(request);
}

var token = (await (await RequestToken("setup")).Content.ReadFromJsonAsync<JsonElement>()).GetProperty("access_token").GetString();

async Task<JsonElement> Lab(HttpMethod method, string path, object? body = null)
{
    var request = new HttpRequestMessage(method, Setting("AUTH_URL") + "/lab" + path);
    request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
    if (body is not null) request.Content = JsonContent.Create(body);
    var answer = (await http.SendAsync(request)).EnsureSuccessStatusCode();
    var text = await answer.Content.ReadAsStringAsync();
    return text == "" ? default : JsonDocument.Parse(text).RootElement;
}

void Equal(object? expected, object? actual)
{
    if (!Equals(expected, actual)) throw new InvalidOperationException($"expected {expected}, not {actual}");
}

await Lab(HttpMethod.Post, "/reset");
await Lab(HttpMethod.Post, "/faults", new { at = "token", fault = "throttled", retryAfterSeconds = 7, run = "dotnet" });
Equal(200, (int)(await RequestToken("other")).StatusCode);
var throttled = await RequestToken("dotnet");
Equal(429, (int)throttled.StatusCode);
Equal("7", throttled.Headers.RetryAfter?.ToString());
Equal(1, (await Lab(HttpMethod.Get, "/faults")).GetProperty("value")[0].GetProperty("applied").GetInt32());
Console.WriteLine("a fault breaks one run only ... ok");

await Lab(HttpMethod.Post, "/reset");
await RequestToken("dotnet");
var requests = (await Lab(HttpMethod.Get, "/requests")).ToString();
Equal(false, requests.Contains(Setting("ADMINISTRATOR_SECRET")));
Console.WriteLine("requests contain no secret ... ok");

var forgeries = await Lab(HttpMethod.Post, "/forgeries", new { api = Setting("API_APPLICATION_ID") });
Equal(true, forgeries.GetProperty("forgeries").GetArrayLength() >= 40);
Console.WriteLine("hostile tokens for an API ... ok");
