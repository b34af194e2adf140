/** The services of the chart. */
export type Service = 'identity-provider' | 'api'

/** The command that an operator runs first. The page shows it for each kind of host. */
export type Command =
  | { readonly service: Service; readonly show: 'state' | 'failures' }
  | { readonly service: Service; readonly metrics: string }
  /** The arguments of the `greeting` command. */
  | { readonly greeting: string }
  | { readonly places: readonly [shell: string, systemd: string, kubernetes: string] }

type Runbook = { readonly commands: readonly Command[]; readonly text: string }

const state = (service: Service): Command => ({ service, show: 'state' })
const failures = (service: Service): Command => ({ service, show: 'failures' })
/** The metrics whose line begins with a pattern. */
const metrics = (service: Service, pattern: string): Command => ({ service, metrics: pattern })
const kubectl = 'kubectl --namespace identity'
const nodes = `${kubectl} get pods --output wide`
const processFigures = 'nodejs_eventloop_lag_p99_seconds|process_cpu_seconds_total'

/** The runbook of each alert. */
export const runbooks: Readonly<Record<string, Runbook>> = {
  GreetingIssuanceBudgetBurnsFast: {
    commands: [
      metrics('identity-provider', 'greeting_token_requests_total.*failed'),
      failures('identity-provider'),
    ],
    text: `Token requests fail with 500 or 503. Clients keep their tokens for up to an hour, so the APIs still work.

1. \`greeting_token_requests_total{outcome="failed"}\` counts the reasons. If it is \`unavailable\`, the store does not respond: continue at [GreetingStoreNotFollowed](#greetingstorenotfollowed).
2. For \`internal\`, search the log for the level \`error\`. The line has the trace ID of the response. 3. If it began with an upgrade, roll back: \`helm rollback\`.`,
  },
  GreetingIssuanceBudgetBurnsSlowly: {
    commands: [
      metrics('identity-provider', 'greeting_token_requests_total.*failed'),
      failures('identity-provider'),
    ],
    text: `Token requests fail with 500 or 503, at a low rate. Compare the times of the errors with restarts of the database and the pods.`,
  },
  GreetingIssuanceSlow: {
    commands: [
      metrics(
        'identity-provider',
        'greeting_(signature|store_operation)_duration_seconds_(sum|count)',
      ),
    ],
    text: `1. Compare \`greeting_signature_duration_seconds\` with \`greeting_store_operation_duration_seconds\`. The slower one is the cause.
2. Slow signatures mean too little processor time: look for throttled containers, and add replicas.
3. If the store is slow, involve the database administrator. [Sizing](../guides/operating.md#sizing) has the expected figures.`,
  },
  GreetingIdentityProviderDown: {
    commands: [state('identity-provider')],
    text: `1. Look at the pods and at the last lines of their logs. If the start failed, one sentence gives the reason.
2. If they run, check the metrics port and the network policy.`,
  },
  GreetingStoreNotFollowed: {
    commands: [
      metrics('identity-provider', 'greeting_(directory|signing_keys)_age_seconds'),
      failures('identity-provider'),
    ],
    text: `A server that cannot read its store for a second issues no tokens. It recovers by itself.

1. Check the database: does it accept connections, is it a standby, is its disk full? 2. If only one server raises this, check its network. If all do, check the database.
3. If the database is lost, restore it: [storage](../guides/storage.md#restore).`,
  },
  GreetingStoreFails: {
    commands: [
      metrics('identity-provider', 'greeting_store_operation_duration_seconds_count'),
      failures('identity-provider'),
    ],
    text: `The log has the store's error at the level \`warn\` or \`error\`. Check the database's connection limit and its locks.`,
  },
  GreetingStoreWentBack: {
    commands: [failures('identity-provider')],
    text: `A failover or a restore lost acknowledged changes. A removed secret, a withdrawn consent or a revoked key may be valid again.

1. Read the time in the log line \`the store was rolled back\`.
2. Repeat the changes that were made after that time: [losses](../guides/storage.md#losses).`,
  },
  GreetingClockDiffers: {
    commands: [
      metrics('identity-provider', 'greeting_clock_'),
      { places: ['date --utc', 'timedatectl', nodes] },
    ],
    text: `If only one server raises this, its clock is wrong. If all do, the database's clock is. Correct the time synchronization of that machine.
With SQLite, this host's clock jumped. Until it is right again, the server is not ready and [deletes nothing because of its age](../guides/storage.md#a-wrong-clock).`,
  },
  GreetingReplicasDisagree: {
    commands: [
      metrics('identity-provider', 'greeting_directory_(revision|age_seconds)'),
      state('identity-provider'),
    ],
    text: `If only one server does not see new changes, restart the one with the lower \`greeting_directory_revision\`.
If all servers disagree, check that they have the same \`DATABASE_URL\`, and that no old primary accepts writes.`,
  },
  GreetingNoAnnouncedKey: {
    commands: [{ greeting: 'keys list' }, failures('identity-provider')],
    text: `A key must be published before it signs. Without an announced key, APIs refuse tokens after the next rotation.
Search the log for the level \`error\`: the server could not write the key. Check that the store accepts writes.`,
  },
  GreetingSigningKeyEnds: {
    commands: [
      { greeting: 'keys list' },
      metrics('identity-provider', 'greeting_(signing_key|clock)_'),
    ],
    text: `No key signs. Check the clocks of all servers and the store, then restart one server. \`npx --no-install greeting keys list\` shows the phases.`,
  },
  GreetingCredentialsEnd: {
    commands: [metrics('identity-provider', 'greeting_credentials_ending')],
    text: `Secrets or certificates of clients expire within 30 days. \`GET /v1.0/applications\` shows each credential's \`endDateTime\`. Add a new credential, let the client use it, and remove the old one.`,
  },
  GreetingAuditWaits: {
    commands: [
      metrics(
        'identity-provider',
        'greeting_audit_|greeting_store_operation_duration_seconds_(sum|count)',
      ),
    ],
    text: `Requests create audit records faster than the store accepts them. Check the store's latency. Above 50,000 records, new ones are dropped.`,
  },
  GreetingAuditDropsRecords: {
    commands: [metrics('identity-provider', 'greeting_audit_'), failures('identity-provider')],
    text: `Records of tokens or refused changes are lost. The audit log says how many. Make the store available first. Records of directory changes are never dropped.`,
  },
  GreetingAuditExportLoss: {
    commands: [
      metrics('identity-provider', 'greeting_audit_export_'),
      failures('identity-provider'),
    ],
    text: `A log store of \`AUDIT_EXPORT\` is unavailable or too slow. The log line \`export of the audit log failed\` has the reason. Tokens are still issued, and the export continues by itself once the log store accepts records. Changes are in the audit log; gaps in \`number\` show what the log store lacks.`,
  },
  GreetingAssertionsNearLimit: {
    commands: [metrics('identity-provider', 'greeting_storage_used_assertions')],
    text: `With \`ASSERTION_USE=once\`, each assertion is kept until it expires. Raise \`MAX_USED_ASSERTIONS\`, or make clients sign assertions with a shorter lifetime.`,
  },
  GreetingCredentialGuessing: {
    commands: [{ greeting: 'audit --action token.throttle --since 1h' }],
    text: `1. \`npx --no-install greeting audit --action token.throttle --since 1h\` shows the sources.
2. If all have the address of the proxy, set \`TRUSTED_PROXIES\`.
3. If it is one client, its secret has probably expired. Correct requests are always served.`,
  },
  GreetingManagementFails: {
    commands: [failures('identity-provider')],
    text: `The log has the error at the level \`error\`, with the trace ID of the response. Changes that got 500 were not made, and tokens are not affected.
If it began with an upgrade, roll back: \`helm rollback\`.`,
  },
  GreetingAuditLogNearLimit: {
    commands: [metrics('identity-provider', 'greeting_storage_(audit_records|bytes)')],
    text: `At the limit, the oldest records of this lane are deleted earlier. Raise its limit, or export the records: [what fails first](../guides/operating.md#what-fails-first-and-its-signs).
\`signIns\` has the limit \`MAX_SIGN_IN_RECORDS\`, \`unauthenticated\` has \`MAX_UNAUTHENTICATED_RECORDS\`, and \`refusedChanges\` has \`MAX_REFUSED_CHANGE_RECORDS\`.`,
  },
  GreetingCertificateEnds: {
    commands: [
      metrics('identity-provider', 'greeting_https_certificate_end_seconds'),
      failures('identity-provider'),
    ],
    text: `The server renews its certificate 30 days before it expires, if its clock agrees with the store. The log has the error \`renewal of the server certificate failed\`.
Check that the server can write to the folder \`tls\` in \`DATA_DIR\`. The alert does not cover a proxy's certificate.`,
  },
  GreetingDecisionBudgetBurnsFast: {
    commands: [
      metrics('api', 'greeting_guard_(decisions|key_set_refreshes)_total'),
      failures('api'),
    ],
    text: `Requests get 503, because the API has no keys. Continue at [GreetingKeysUnusable](#greetingkeysunusable).`,
  },
  GreetingDecisionBudgetBurnsSlowly: {
    commands: [
      metrics('api', 'greeting_guard_(decisions|key_set_refreshes)_total'),
      failures('api'),
    ],
    text: `Requests get 503 at a low rate, for example at each start of an API. Start the identity provider first, and send traffic only when \`/readyz\` is 200.`,
  },
  GreetingApiDown: {
    commands: [state('api')],
    text: `Follow [GreetingIdentityProviderDown](#greetingidentityproviderdown), with the pods of the API.`,
  },
  GreetingKeysUnusable: {
    commands: [metrics('api', 'greeting_guard_key'), failures('api')],
    text: `1. Open the URL of the key set from the API's network.
2. Check \`JWKS_URL\` and \`AUTH_URL\`, the certificate of the origin, and the network policy.
3. The log line \`key set could not be refreshed\` has the error code.`,
  },
  GreetingKeySetOld: {
    commands: [metrics('api', 'greeting_guard_key'), failures('api')],
    text: `The API still works with its last keys. It responds with 503 when they are 24 hours old. The remedy is the same as for [GreetingKeysUnusable](#greetingkeysunusable).`,
  },
  GreetingManyInvalidTokens: {
    commands: [metrics('api', 'greeting_guard_decisions_total')],
    text: `1. \`greeting_guard_decisions_total\` has the reasons.
2. If the audience or issuer is wrong, a setting of the API or a client has probably changed.
3. If keys are unknown or signatures are bad, the tokens are from another issuer, or an attack is in progress.`,
  },
  GreetingApiFails: {
    commands: [failures('api')],
    text: `The log has the error at the level \`error\`, with the trace ID of the response. If it began with an upgrade, roll back: \`helm rollback\`.`,
  },
  GreetingApiSlow: {
    commands: [
      metrics('api', 'nodejs_eventloop_lag_p99_seconds|process_cpu_seconds_total'),
      metrics('api', 'greeting_guard_key_set_refreshes_total'),
    ],
    text: `1. If the event loop is blocked, the API has too little processor time: add replicas.
2. If refreshes of the key set fail, tokens with a new key wait: continue at [GreetingKeysUnusable](#greetingkeysunusable).`,
  },
  GreetingEventLoopBlocked: {
    commands: [metrics('identity-provider', processFigures), metrics('api', processFigures)],
    text: `The process does not get enough processor time. Add replicas, or raise the container's CPU limit.`,
  },
  GreetingBackupOld: {
    commands: [
      {
        places: [
          'ls -l --time-style=full-iso /var/backups/greeting',
          'systemctl list-timers --all',
          `${kubectl} get cronjob/greeting-backup; ${kubectl} logs --selector app.kubernetes.io/instance=greeting,app.kubernetes.io/component=backup --tail 20`,
        ],
      },
    ],
    text: `Look at the output of the last run: the usual reasons are a full disk and an unavailable database. Then make a backup by hand: [storage](../guides/storage.md).
On a machine, the alert needs the textfile collector of node_exporter. After each backup, write \`greeting-backup.prom\` into its folder: \`touch greeting-backup.prom\`.`,
  },
  GreetingBootstrapFailed: {
    commands: [
      {
        places: [
          'tail -n 20 identity-provider.log',
          'journalctl --unit greeting-identity-provider --lines 20',
          `${kubectl} logs job/greeting-bootstrap --tail 20`,
        ],
      },
    ],
    text: `The last line has the reason. The job changes nothing that an old pod cannot read, so the previous release continues to run. Remove the cause, and repeat \`helm upgrade\`.`,
  },
}
