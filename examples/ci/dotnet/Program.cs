// No test of this repository runs this file, because it needs the SDK of .NET.
// It is an API that verifies tokens, and its tests with real tokens. The variables are those of test.env.
using System.Net.Http.Headers;
using System.Text.Json;

string Setting(string name) => Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException(name);
var tenant = $"{Setting("AUTH_URL")}/{Setting("TENANT_ID")}";
var audience = $"api://{Setting("API_APPLICATION_ID")}";

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseUrls("http://127.0.0.1:0");
builder.Services.AddAuthentication("Bearer").AddJwtBearer(options =>
{
    options.Authority = tenant;
    options.RequireHttpsMetadata = false;
    options.MapInboundClaims = false;
    options.TokenValidationParameters.ValidAudience = audience;
    options.TokenValidationParameters.ValidIssuer = $"{tenant}/";
    options.TokenValidationParameters.ValidAlgorithms = ["RS256"];
    options.TokenValidationParameters.RoleClaimType = "roles";
});
builder.Services.AddAuthorization();
await using var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();
app.MapGet("/orders", () => Array.Empty<string>()).RequireAuthorization(policy => policy.RequireRole("Orders.Read"));
await app.StartAsync();

using var http = new HttpClient();

async Task<string> Token(string clientId)
{
    var form = new FormUrlEncodedContent(new Dictionary<string, string>
    {
        ["grant_type"] = "client_credentials",
        ["client_id"] = clientId,
        ["client_secret"] = Setting("CLIENT_SECRET"),
        ["scope"] = $"{audience}/.default",
    });
    var answer = (await http.PostAsync($"{tenant}/oauth2/v2.0/token", form)).EnsureSuccessStatusCode();
    return (await answer.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("access_token").GetString()!;
}

async Task Expect(int status, string name, string? token = null)
{
    var request = new HttpRequestMessage(HttpMethod.Get, $"{app.Urls.First()}/orders");
    if (token is not null) request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
    var actual = (int)(await http.SendAsync(request)).StatusCode;
    if (actual != status) throw new InvalidOperationException($"{name}: status {actual}, expected {status}");
    Console.WriteLine($"{name}: {status}");
}

var genuine = await Token(Setting("CLIENT_ID"));
await Expect(401, "without a token");
await Expect(401, "with a forged signature", genuine[..genuine.LastIndexOf('.')] + ".AAAA");
await Expect(403, "without the role", await Token(Setting("CLIENT_ID_WITHOUT_ROLE")));
await Expect(200, "with the role", genuine);
