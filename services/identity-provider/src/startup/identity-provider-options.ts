// Generated from the schemas of the settings: npm run generate.

import type { SettingsInput } from './settings.ts'

/**
 * The settings of the identity provider, in camel case: `DATA_DIR` is `dataDir`. Those of traces and `REUSE_PORT`
 * are missing, because they belong to a dedicated process.
 */
export type IdentityProviderOptions = {
  /** The address of the listener. `::` is every address, also of IPv4. By default `127.0.0.1`. */
  readonly host?: SettingsInput['HOST']
  /**
   * The port for HTTP. 0 chooses a free one, `off` disables HTTP. A port from 0 to 65535, or off,
   * by default `0`.
   */
  readonly port?: SettingsInput['PORT']
  /**
   * The port for HTTPS, a free one when `port` is 0. `off` disables HTTPS. A port from 0 to 65535,
   * or off, by default `off`.
   */
  readonly httpsPort?: SettingsInput['HTTPS_PORT']
  /** The address of the listener for metrics. By default `127.0.0.1`. */
  readonly metricsHost?: SettingsInput['METRICS_HOST']
  /**
   * The port of the listener for metrics. 0 chooses a free one, `off` disables metrics. A port
   * from 0 to 65535, or off, by default `off`.
   */
  readonly metricsPort?: SettingsInput['METRICS_PORT']
  /**
   * Up to 100 application IDs, separated by commas, that `greeting_client_token_requests_total`
   * counts. By default none.
   */
  readonly metricsClientIds?: SettingsInput['METRICS_CLIENT_IDS']
  /**
   * Up to 100 tenant IDs, separated by commas, of which `greeting_tenant_token_requests_total` and
   * `greeting_tenant_objects` are counted. By default none.
   */
  readonly metricsTenantIds?: SettingsInput['METRICS_TENANT_IDS']
  /**
   * The port for clients that authenticate by mutual TLS. Their tokens are bound to the
   * certificate. Requires `httpsPort`. A port from 0 to 65535, or off, by default `off`.
   */
  readonly mtlsPort?: SettingsInput['MTLS_PORT']
  /**
   * The public origin of the listener for mutual TLS, in `mtls_endpoint_aliases`. By default the
   * address of the listener.
   */
  readonly mtlsAuthUrl?: SettingsInput['MTLS_AUTH_URL']
  /**
   * The addresses and networks of proxies whose field `Client-Cert` counts as the certificate of
   * the client. They connect by HTTPS, or from this machine. Addresses or networks such as
   * 10.0.0.0/8, separated by commas, by default none.
   */
  readonly clientCertProxies?: SettingsInput['CLIENT_CERT_PROXIES']
  /**
   * How long an idle connection stays open, 1 to 3600. Longer than the idle timeout of the proxy.
   * In seconds, by default `75`.
   */
  readonly keepAliveSeconds?: SettingsInput['KEEP_ALIVE_SECONDS']
  /**
   * How long it accepts connections after a stop signal, 0 to 300. `/readyz` is 503 in that time,
   * so that load balancers notice the stop, and each response closes its connection. In seconds,
   * by default `0`.
   */
  readonly stopDelaySeconds?: SettingsInput['STOP_DELAY_SECONDS']
  /**
   * More names and addresses for the server certificate, separated by commas. A new one creates a
   * new authority. By default none.
   */
  readonly httpsNames?: SettingsInput['HTTPS_NAMES']
  /**
   * The public origin for HTTP, in every document and in `error_uri`. It is never taken from a
   * request. By default the address of the listener.
   */
  readonly authUrl?: SettingsInput['AUTH_URL']
  /**
   * The public origin for HTTPS, as `authUrl` for HTTP. By default the address of the listener.
   */
  readonly httpsAuthUrl?: SettingsInput['HTTPS_AUTH_URL']
  /**
   * The issuer of v1.0 tokens is `{issuerUrl}/{tenant id}/`. May be `https://sts.windows.net`. By
   * default the address of the listener, HTTP first.
   */
  readonly issuerUrl?: SettingsInput['ISSUER_URL']
  /**
   * The issuer of v2.0 tokens is `{issuerUrlV2}/{tenant id}/v2.0`. May be
   * `https://login.microsoftonline.com`. By default the origin of the request.
   */
  readonly issuerUrlV2?: SettingsInput['ISSUER_URL_V2']
  /** The folder of its files, created with mode 0700. By default `:memory:`. */
  readonly dataDir?: SettingsInput['DATA_DIR']
  /**
   * `postgres://user:password@host:port/name`, for several servers. Several hosts with commas.
   * `target_session_attrs` is `read-write`, `primary` or `any`. TLS by `sslmode`, `sslrootcert`,
   * `sslcert`, `sslkey`. By default a file in `dataDir`.
   */
  readonly databaseUrl?: SettingsInput['DATABASE_URL']
  /**
   * One or several standbys of `databaseUrl` in this region: tokens are issued from them while the
   * primary is unavailable. By default none.
   */
  readonly databaseReadUrl?: SettingsInput['DATABASE_READ_URL']
  /**
   * How old the state may be from which tokens are issued while the primary is unavailable, 10 to
   * 3600. A withdrawn consent or a removed secret is effective at most so much later. In seconds,
   * by default `300`.
   */
  readonly databaseReadStalenessSeconds?: SettingsInput['DATABASE_READ_STALENESS_SECONDS']
  /**
   * A database of this region for used client assertions, with `assertionUse=once`. Each assertion
   * is then valid for one token in each region, also while the primary is unavailable. By default
   * `databaseUrl`.
   */
  readonly assertionDatabaseUrl?: SettingsInput['ASSERTION_DATABASE_URL']
  /**
   * `refuse` does not start with a data file that lacks acknowledged changes, or without the store
   * of its folder. `accept` starts, and records it. By default `refuse`.
   */
  readonly lostChanges?: SettingsInput['LOST_CHANGES']
  /**
   * A registrations file without certificates, applied when the directory is empty, with each
   * `applicationId` in it. The secrets go to `seeded.json` in `dataDir`, mode 0600. It has no
   * effect on another directory, and the log says so. By default none.
   */
  readonly registrations?: SettingsInput['REGISTRATIONS']
  /**
   * The ID of the first tenant, when the directory is empty and no file names one. The tenant of
   * the management APIs is refused. By default a new one.
   */
  readonly tenantId?: SettingsInput['TENANT_ID']
  /**
   * `yes` creates another administrator at this start, and writes its secret to
   * `administrator.env` in `dataDir`. By default `no`.
   */
  readonly newAdministrator?: SettingsInput['NEW_ADMINISTRATOR']
  /**
   * The objects, credentials, roles and index entries of the directory in memory, 1,000 to
   * 10,000,000. A client that obtains tokens takes about 12. By default `100000`.
   */
  readonly directoryCacheObjects?: SettingsInput['DIRECTORY_CACHE_OBJECTS']
  /**
   * The limit of applications and service principals of each tenant, 100 to 10,000,000. Deleted
   * ones count until they are purged. By default none.
   */
  readonly maxTenantObjects?: SettingsInput['MAX_TENANT_OBJECTS']
  /**
   * How long a deleted application or service principal can be restored before it is purged, 1 to
   * 3650. In days, by default `30`.
   */
  readonly deletedItemsRetentionDays?: SettingsInput['DELETED_ITEMS_RETENTION_DAYS']
  /**
   * How long the management API does not show new objects, 0 to 3600. For tests against the delay
   * of a cloud. In seconds, by default `0`.
   */
  readonly visibilityDelaySeconds?: SettingsInput['VISIBILITY_DELAY_SECONDS']
  /**
   * The key that encrypts private keys: 32 bytes in base64. By default a key file in `dataDir`.
   */
  readonly keyEncryptionKey?: SettingsInput['KEY_ENCRYPTION_KEY']
  /** How long a signing key signs, 2 to 730. In days, by default `90`. */
  readonly keyRotateAfterDays?: SettingsInput['KEY_ROTATE_AFTER_DAYS']
  /**
   * How long the next key is published before it signs, 1 to 365, less than `keyRotateAfterDays`.
   * In days, by default `14`.
   */
  readonly keyAnnounceDays?: SettingsInput['KEY_ANNOUNCE_DAYS']
  /**
   * The lifetime of tokens, 60 to 86400. `3600-5400` gives each a random lifetime in this range.
   * In seconds, by default `3600`.
   */
  readonly tokenLifetimeSeconds?: SettingsInput['TOKEN_LIFETIME_SECONDS']
  /** How far `iat` and `nbf` are in the past, 0 to 600. In seconds, by default `300`. */
  readonly tokenBackdatingSeconds?: SettingsInput['TOKEN_BACKDATING_SECONDS']
  /**
   * `once`: each client assertion is valid for one token, and each proof of possession for one
   * change, on all replicas. By default `until-expiry`.
   */
  readonly assertionUse?: SettingsInput['ASSERTION_USE']
  /**
   * How far in the future a client assertion may expire, 60 to 86400. In seconds, by default
   * `3600`.
   */
  readonly assertionLifetimeSeconds?: SettingsInput['ASSERTION_LIFETIME_SECONDS']
  /**
   * The accepted difference of clocks, 0 to 300: for the times of assertions, and for the start of
   * a secret or certificate. An end is exact. In seconds, by default `60`.
   */
  readonly clockToleranceSeconds?: SettingsInput['CLOCK_TOLERANCE_SECONDS']
  /**
   * The hosts, with port, from which keys of other issuers may be loaded, separated by commas. By
   * default none.
   */
  readonly federatedIssuerHosts?: SettingsInput['FEDERATED_ISSUER_HOSTS']
  /**
   * The limit of wrong credentials for one client. Beyond it, the response is 429. A whole number
   * from 1 to 1000000, by default `20`.
   */
  readonly wrongCredentialsPerClientPerMinute?: SettingsInput['WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE']
  /**
   * The limit of refusals before authentication for one source, an IPv4 address or an IPv6 /64.
   * Beyond it, the response is 429. A whole number from 1 to 1000000, by default `60`.
   */
  readonly wrongCredentialsPerSourcePerMinute?: SettingsInput['WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE']
  /**
   * The limit of records of authenticated clients in the sign-in log, 1000 to 10000000. The oldest
   * are deleted. With `auditExport`, 0 keeps none. By default `1000000`.
   */
  readonly maxSignInRecords?: SettingsInput['MAX_SIGN_IN_RECORDS']
  /**
   * The limit of records of requests before authentication in the sign-in log, 1000 to 10000000.
   * The oldest are deleted. With `auditExport`, 0 keeps none. By default `100000`.
   */
  readonly maxUnauthenticatedRecords?: SettingsInput['MAX_UNAUTHENTICATED_RECORDS']
  /**
   * The limit of records of refused changes in the audit log, 1000 to 10000000. The oldest are
   * deleted. By default `100000`.
   */
  readonly maxRefusedChangeRecords?: SettingsInput['MAX_REFUSED_CHANGE_RECORDS']
  /**
   * Where both logs are sent: `otlp`, `file:/path`, `unix:/path`, `tcp://host:port` or
   * `tls://host:port`, separated by commas. By default none.
   */
  readonly auditExport?: SettingsInput['AUDIT_EXPORT']
  /**
   * The limit of used client assertions that have not expired, 1000 to 10000000, with
   * `assertionUse=once`. Beyond it, assertions get 503, because none is forgotten before it
   * expires. One-time links and sign-outs of the portal count too. By default `1000000`.
   */
  readonly maxUsedAssertions?: SettingsInput['MAX_USED_ASSERTIONS']
  /**
   * The addresses and networks (`10.0.0.0/8`) of trusted proxies, whose `X-Forwarded-For` counts,
   * separated by commas. By default none.
   */
  readonly trustedProxies?: SettingsInput['TRUSTED_PROXIES']
  /**
   * `on` serves the portal at an address that is not on loopback. It needs HTTPS there. `off`
   * removes it. By default `on` on loopback, else `off`.
   */
  readonly portal?: SettingsInput['PORTAL']
  /**
   * `on` adds `/lab`: forged tokens, faults and a clock, for tests only. It needs its own store
   * and loopback addresses. By default `off`.
   */
  readonly lab?: SettingsInput['LAB']
  /** `yes` permits a lab on other addresses, such as in a container of a test. By default `no`. */
  readonly labAnyAddress?: SettingsInput['LAB_ANY_ADDRESS']
  /**
   * The text of all secrets that `registrations` creates, 16 to 128 printable characters. It is
   * valid with `lab=on` only, and no secret for production. By default each is random.
   */
  readonly labClientSecret?: SettingsInput['LAB_CLIENT_SECRET']
  /**
   * `on` accepts requests of MCP clients that Entra refuses, and publishes metadata that Entra
   * lacks. By default `off`.
   */
  readonly mcpClients?: SettingsInput['MCP_CLIENTS']
  /**
   * `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. Issued tokens and incomplete
   * requests have the level `debug`, refusals `info`. By default `silent`.
   */
  readonly logLevel?: SettingsInput['LOG_LEVEL']
}
