/** One regular expression and its longest input. */
export type RegexInput = {
  readonly pattern: RegExp
  /** Characters of its longest input; undefined when it receives no input. */
  readonly longest: number | undefined
  /** Texts that match the beginning of the expression, besides the empty text. */
  readonly starts: readonly string[]
  /** Built by `new RegExp`. The row has its longest form. */
  readonly isBuilt: boolean
}

const reached =
  (longest: number) =>
  (pattern: RegExp, ...starts: string[]): RegexInput => ({
    pattern,
    longest,
    starts,
    isBuilt: false,
  })

/** A field of a request or an answer, or its target: Node accepts 16 KB of them. */
const header = reached(16_384)
/** A parameter of a token request. */
const form = reached(65_536)
/** A body of the management API. */
const body = reached(1_048_576)
/** A text whose length was checked before. */
const text = reached(1024)
/** An answer to the client library or the command. */
const answer = reached(65_536)
/** A setting or an argument: the maximum of Linux. */
const setting = reached(131_072)
/** A file that its owner names: a certificate, a key, settings, registrations. */
const file = reached(65_536)
/** Receives no input, for this reason. */
const ours = (pattern: RegExp, _reason: string): RegexInput => ({
  pattern,
  longest: undefined,
  starts: [],
  isBuilt: false,
})
const built = (input: RegexInput): RegexInput => ({ ...input, isBuilt: true })

/** Every regular expression of the sources, by file, in their order in it. */
export const regexInputs: Readonly<Record<string, readonly RegexInput[]>> = {
  'cli/src/browser.ts': [setting(/^portal(-[\w-]{1,64})?\.html$/, 'portal-')],
  'cli/src/commands/audit.ts': [setting(/^[1-9]\d{0,6}$/)],
  'cli/src/commands/call.ts': [
    setting(/^[A-Za-z]{1,20}$/),
    setting(/^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*((?:\S.*)?)$/, 'a:'),
  ],
  'cli/src/commands/keys.ts': [setting(/^y(es)?$/i)],
  'cli/src/commands/registrations/questions.ts': [setting(/^y(es)?$/i)],
  'cli/src/commands/run.ts': [setting(/^[1-9]\d{0,8}$/)],
  'cli/src/commands/start.ts': [setting(/^\d{1,5}$/), setting(/^\d{1,2}$/), setting(/^\d{1,4}$/)],
  'cli/src/doctor/network-fault.ts': [
    ours(/^ENOTFOUND$|^EAI_AGAIN$/, 'codes of Node'),
    ours(/^ECONNREFUSED$/, 'codes of Node'),
    ours(/^ECONNRESET$|^EPIPE$|^UND_ERR_SOCKET$/, 'codes of Node'),
    ours(/TIMEOUT|ETIMEDOUT|^23$/, 'codes of Node'),
    ours(/^CERT_HAS_EXPIRED$/, 'codes of Node'),
    ours(/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'codes of Node'),
    ours(/SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^CERT_/, 'codes of Node'),
    ours(/SSL|TLS/, 'codes of Node'),
    ours(/^/, 'codes of Node'),
  ],
  'cli/src/env-file.ts': [
    file(/^[A-Za-z0-9_@%+=:,./~-]*$/),
    file(/(?:^|[:=])~/),
    file(/['\r]/),
    file(/["$`\\\r]/),
  ],
  'cli/src/administrator/administrator-settings.ts': [setting(/^https?$/), setting(/\/$/)],
  'packages/registrations/src/app-role-entry.ts': [
    file(/^(?!\.)[0-9A-Za-z:!#$%&'()*+,\-./;<=>?@[\]^_`{|}~]+$/),
  ],
  'packages/registrations/src/json-members.ts': [file(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs, '"')],
  'packages/registrations/src/parse-registrations.ts': [file(/^\uFEFF/)],
  'packages/registrations/src/registrations-file.ts': [
    file(/^[a-z][a-z0-9+.-]*:\/\/[^\s?#]*[^\s?#/]$/i, 'a://'),
  ],
  'packages/registrations/src/write-application-ids.ts': [
    built(file(/"[^"\\]*(?:\\.[^"\\]*)*"\s*:\s*"[^"\\]*(?:\\.[^"\\]*)*"/sy, '"', '"a":"')),
  ],
  'cli/src/administrator/graph-client.ts': [answer(/^https?:/)],
  'cli/src/managed-identity/identity-request.ts': [
    header(/^(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/i, 'localhost:'),
  ],
  'packages/registrations/src/apply/apply-change.ts': [
    answer(/Permission being assigned already exists/),
    answer(/No password credential found/i),
  ],
  'packages/registrations/src/apply/create-application.ts': [
    answer(/same value for property uniqueName/),
  ],
  'packages/registrations/src/apply/find-applications.ts': [text(/[^\p{L}\p{N}]+/u)],
  'packages/registrations/src/apply/read-directory.ts': [file(/^[0-9a-f-]{36}$/i)],
  'cli/src/administrator/retryable.ts': [
    answer(
      /Not a valid reference update|Permission being assigned was not found on application|does not reference a valid application object/,
    ),
  ],
  'cli/src/registrations/load-file.ts': [file(/PRIVATE KEY/)],
  'packages/registrations/src/planning/one-line.ts': [answer(/[\n\t]/g)],
  'cli/src/administrator/refusal-failure.ts': [
    answer(/identifier URI/),
    answer(/same value for property identifierUris/),
  ],
  'cli/src/registrations/secret-files.ts': [
    file(/[^a-z0-9.]+/g),
    file(/^[-.]+|(?<![-.])[-.]+$/g, 'a'),
  ],
  'cli/src/schedule/duration.ts': [text(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)],
  'cli/src/shell-quote.ts': [setting(/^[A-Za-z0-9_@%+=:,./-]+$/)],
  'cli/src/text/completion-script.ts': [
    ours(/[:[\]'\\]/g, 'the names of our commands'),
    ours(/['\\]/g, 'the names of our commands'),
  ],
  'cli/src/text/time.ts': [ours(/\.\d+Z$/, 'a time in ISO 8601')],
  'cli/src/text/visible-text.ts': [answer(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu)],
  'packages/client/src/call/api-errors.ts': [header(/\berror="([a-z_]{1,64})"/, 'error="')],
  'packages/client/src/credentials/client-certificate.ts': [
    file(/\s/g),
    ours(/=+$/, 'a digest'),
    built(
      file(
        /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/,
        '-----BEGIN CERTIFICATE-----',
      ),
    ),
  ],
  'packages/client/src/call/fetch-with-token.ts': [setting(/\/$/)],
  'packages/client/src/files/certificate-files.ts': [
    file(
      /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]|-(?!----))+-----END [A-Z ]*PRIVATE KEY-----/,
      '-----BEGIN PRIVATE KEY-----',
    ),
  ],
  'packages/client/src/files/secret-file.ts': [file(/\r?\n$/)],
  'packages/client/src/http/retry.ts': [header(/^\d+$/)],
  'packages/client/src/http/secure-url.ts': [
    setting(/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/, '127'),
  ],
  'packages/client/src/token/token-response.ts': [
    answer(/\p{Cc}+/gu),
    answer(/^AADSTS(\d{1,9})\b/, 'AADSTS'),
    answer(/^[0-9a-fA-F-]{1,64}$/),
    answer(/^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/),
    answer(/^\d+$/),
    answer(/^[A-Za-z0-9._~+/-]+=*$/, 'a'),
  ],
  'packages/client/src/token/token-cache.ts': [file(/^[A-Za-z0-9._~+/-]+=*$/, 'a')],
  'packages/client/src/token/token-source-options.ts': [setting(/\/$/)],
  'packages/guard/src/adapters/fastify.ts': [ours(/\/$/, 'the prefixes of the app')],
  'packages/guard/src/entra.ts': [
    setting(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    setting(/^https?:\/\/[^\s?#@]*[^\s?#@/]$/, 'https://'),
  ],
  'packages/guard/src/guard-options.ts': [
    setting(/^https?:$/),
    setting(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
  ],
  'packages/guard/src/bearer-credentials.ts': [header(/,\s*bearer(\s|$)/i, ',')],
  'packages/guard/src/routes/route-table.ts': [
    ours(/^(\/[^/?#]+)*$/, 'the routes of the app'),
    ours(/^([A-Z]+) (\/[^?#]*)$/, 'the routes of the app'),
    ours(/%([2-7][0-9a-f])/gi, 'the routes of the app'),
    ours(/^[/\\]+/, 'the routes of the app'),
    ours(/\/{2,}/g, 'the routes of the app'),
  ],
  'services/greeting-api/src/guard-log.ts': [ours(/^[A-Z_\d]{1,64}$/, 'codes of Node')],
  'services/greeting-api/src/settings.ts': [
    setting(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    setting(/^(1\.0|2\.0)(,(1\.0|2\.0))?$/),
  ],
  'services/identity-provider/src/backup/backup-manifest.ts': [file(/^[0-9a-f]{64}$/)],
  'services/identity-provider/src/certificates/name-constraints.ts': [setting(/^\*\./)],
  'services/identity-provider/src/dialect/request/client-authentication.ts': [
    form(/^[a-z\d][\w.-]{0,99}$/i, 'a'),
    header(/^basic +([A-Za-z0-9+/]+={0,2})$/i, 'basic ', 'basic a'),
  ],
  'services/identity-provider/src/dialect/refusals/error-envelope.ts': [
    ours(/\.\d+Z$/, 'a time in ISO 8601'),
    text(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g),
  ],
  'services/identity-provider/src/dialect/request/form-body.ts': [form(/[%+]/)],
  'services/identity-provider/src/dialect/documents/instance-discovery.ts': [
    header(/\/oauth2\/authorize$/, '/oauth2/authorize'),
    header(/\/$/),
  ],
  'services/identity-provider/src/dialect/request/scope.ts': [form(/^[a-z][a-z0-9+.-]*:/i, 'a')],
  'services/identity-provider/src/dialect/request/tenant-name.ts': [
    header(
      /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i,
      'a.',
    ),
  ],
  'services/identity-provider/src/directory/application/app-role-rules.ts': [
    text(/^[0-9A-Za-z:!#$%&'()*+,\-./;<=>?@[\]^_`{|}~]+$/),
    text(/\s/),
    text(/\s/),
  ],
  'services/identity-provider/src/directory/application/claims-matching-expression.ts': [
    text(/claims\['(\w{1,100})'\] (eq|matches) '((?:[^']|'')*)'/y, "claims['", "claims['a'] eq '"),
  ],
  'services/identity-provider/src/directory/application/claims-matching-rules.ts': [
    text(/[*?]/),
    text(/^gitlab\.(?:com|[a-z0-9.-]+\.(?:com|ca))$/, 'gitlab.', 'gitlab.a'),
    text(/^project_id:\d+:/, 'project_id:1'),
    text(/^organization:[\w-]+:/, 'organization:a'),
  ],
  'services/identity-provider/src/directory/guid.ts': [
    body(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i),
  ],
  'services/identity-provider/src/directory/application/identifier-uri-rules.ts': [
    text(/[\s#?]/),
    text(/^([a-z]+):\/\/([^/]+)(?:\/(.+))?$/, 'a://', 'a://a/'),
  ],
  'services/identity-provider/src/directory/storable-text.ts': [text(/\p{Cc}/u)],
  'services/identity-provider/src/startup/listeners.ts': [setting(/^\[|\]$/g)],
  'services/identity-provider/src/federation/issuer-metadata.ts': [text(/\/$/)],
  'services/identity-provider/src/files/env-text.ts': [
    file(/^[A-Za-z0-9_@%+=:,./~-]*$/),
    file(/(?:^|[:=])~/),
    file(/['\r]/),
    file(/["$`\\\r]/),
  ],
  'services/identity-provider/src/files/staged-secret-file.ts': [file(/^\.[0-9a-f-]{36}$/)],
  'services/identity-provider/src/management/resource-manager/resource-manager-app.ts': [
    header(/^\d{4}-\d{2}-\d{2}(-preview)?$/, '2022-12-01', '2022-12-01-preview'),
  ],
  'services/identity-provider/src/management/graph/applications/federated-identity-credential-body.ts':
    [text(/^[A-Za-z0-9][A-Za-z0-9_-]{2,}$/, 'a')],
  'services/identity-provider/src/management/graph/applications/key-credential-body.ts': [
    form(/[\r\n]/g),
  ],
  'services/identity-provider/src/management/graph/batch/batch-operation.ts': [
    header(/[^ -~]/),
    header(/^\/+/, '/'),
  ],
  'services/identity-provider/src/directory/properties/forms.ts': [setting(/^https?$/)],
  'services/identity-provider/src/management/body/json-body.ts': [
    header(/^application\/json[\t ]*(?:;|$)/i, 'application/json', 'application/json;'),
  ],
  'services/identity-provider/src/management/operations/operation-path.ts': [
    header(/^([A-Za-z.]+)\((?:(appId|uniqueName|name)=)?'([^'()]*)'\)$/i, 'a(', "a(appId='"),
    header(/^(?:microsoft\.graph\.)?([a-z]+)\(\)$/i, 'a', 'microsoft.graph.'),
    header(/^\/(myorganization|[0-9a-f-]{36})(?=\/)/i, '/', '/myorganization'),
    ours(/\{(\w+)\}/g, 'our table of operations'),
    header(/^(?:microsoft\.)?graph\.\w+$/i, 'graph.', 'microsoft.graph.'),
  ],
  'services/identity-provider/src/management/server/page-limit.ts': [header(/^[1-9]\d{0,3}$/)],
  'packages/portal/src/portal-form.ts': [
    header(
      /^application\/x-www-form-urlencoded[\t ]*(?:;|$)/i,
      'application/x-www-form-urlencoded',
    ),
    header(
      /^multipart\/form-data; *boundary="?([\w'()+,./:=?-]{1,70})"?$/i,
      'multipart/form-data;',
      'multipart/form-data; boundary=',
    ),
  ],
  'packages/portal/src/security/session-key.ts': [
    header(/^\/portal\/s-([0-9a-f]{32})(?=\/|$)/, '/portal/s-'),
    body(/( (?:href|action)=")\/portal(?=[/?#"])(?!\/static\/)/g, ' href="/portal'),
  ],
  'packages/portal/src/api/search-query.ts': [header(/[\p{L}\p{N}]/u), header(/["\\]/g)],
  'services/identity-provider/src/management/body/control-information.ts': [
    body(/@odata\.(?:bind|id)$/, '@odata.'),
    text(/^(?:[^#]*#)?(?:microsoft\.)?graph\.(\w+)$/i, '#', '#graph.', 'graph.'),
  ],
  'services/identity-provider/src/management/odata/filter-tokens.ts': [
    header(/\s+|'((?:[^']|'')*)'|([(),/:])|([0-9][\w.:+-]*|[A-Za-z_$@][\w.$@-]*)/y, "'", 'a', '0'),
  ],
  'services/identity-provider/src/management/odata/list-answer.ts': [header(/^\$?skiptoken$/i)],
  'services/identity-provider/src/management/odata/order.ts': [
    text(/^\s*(\w+)(?:\s+(asc|desc))?\s*$/i, 'a', 'a '),
  ],
  'services/identity-provider/src/management/odata/search.ts': [
    text(/\s*(?:(AND|OR)\s+)?"([A-Za-z]+):((?:[^"\\]|\\.)*)"\s*/y, '"a:', 'AND '),
  ],
  'services/identity-provider/src/directory/words.ts': [text(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu)],
  'services/identity-provider/src/management/odata/query-options.ts': [header(/^[1-9]\d{0,2}$/)],
  'services/identity-provider/src/management/graph/service-principals/find-service-principal.ts': [
    header(/^appId=(.*)$/s, 'appId='),
  ],
  'packages/http-service/src/malformed-request.ts': [
    header(/^[A-Za-z0-9.\-_:[\]]+$/),
    header(/^https?:\/\/[A-Za-z0-9.\-_:[\]]+(?:[/?]|$)/i, 'http://'),
  ],
  'services/identity-provider/src/http/client-thumbprint.ts': [
    header(/^:([A-Za-z0-9+/]{1,16384}={0,2}):$/, ':'),
    ours(/^::ffff:/, 'the address of the peer'),
  ],
  'services/identity-provider/src/http/request-form.ts': [
    header(
      /^application\/x-www-form-urlencoded[\t ]*(?:;|$)/i,
      'application/x-www-form-urlencoded',
    ),
  ],
  'services/identity-provider/src/http/source-address.ts': [
    header(/^(?:\[([^\]]{2,64})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/, '[::', '1.1.1.1'),
    header(/^::ffff:(?=.*\.)/, '::ffff:'),
  ],
  'services/identity-provider/src/http/trusted-proxies.ts': [
    setting(/^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/, '1'),
  ],
  'services/identity-provider/src/issuance/certificate-authentication.ts': [
    form(/={0,2}$/),
    form(/^([0-9a-f]{40}|[0-9a-f]{64})$/i),
  ],
  'services/identity-provider/src/issuance/federated-authentication.ts': [form(/^https?:\/\//)],
  'packages/http-service/src/listener.ts': [
    ours(/\/\/(127\.0\.0\.1|\[::1\]):/, 'the address of the listener'),
    file(
      /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
      '-----BEGIN CERTIFICATE-----',
    ),
  ],
  'packages/http-service/src/setting-schemas.ts': [
    setting(/^https?:\/\/[^\s?#@]*[^\s?#@/]$/, 'https://'),
    setting(/^\d{1,9}$/),
    setting(/^\d{1,5}$/),
    setting(/^(auto|\d{1,2})$/),
  ],
  'packages/http-service/src/settings-reader.ts': [setting(/\/\/[^/@]*@/, '//')],
  'packages/http-service/src/start-failure.ts': [ours(/\.$/, 'a message of an error at start')],
  'services/identity-provider/src/settings.ts': [setting(/^\d{2,5}(-\d{2,5})?$/)],
  'services/identity-provider/src/signing/key-encryption-key.ts': [
    setting(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/),
  ],
  'services/identity-provider/src/startup/start-identity-provider.ts': [
    ours(/_[a-z]/g, 'the names of our settings'),
  ],
  'services/identity-provider/src/storage/sql/list-conditions.ts': [header(/[!%_]/g)],
  'services/identity-provider/src/storage/postgres-address.ts': [
    setting(/^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)([/?#].*)?$/, 'postgres://'),
    setting(/^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/, 'a', '[a'),
    setting(/^\[|\]$/g, '['),
  ],
  'packages/tracing/src/tracing-options.ts': [
    setting(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/),
    setting(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, '0.'),
  ],
  'packages/http-service/src/visible-text.ts': [file(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu)],
}
