/** The services of the chart. */
export type Service = 'identity-provider' | 'api'

/** What a person runs first. The page has its form for each place. */
export type Command =
  | { readonly service: Service; readonly show: 'state' | 'failures' }
  | { readonly service: Service; readonly metrics: string }
  /** Words of the command `greeting`. */
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

/** What to do, by alert. */
export const runbooks: Readonly<Record<string, Runbook>> = {
  GreetingIssuanceBudgetBurnsFast: {
    commands: [
      metrics('identity-provider', 'greeting_token_requests_total.*failed'),
      failures('identity-provider'),
    ],
    text: `Token requests fail with 500 or 503. Clients keep their tokens for up to an hour, so the APIs still work.

1. \`greeting_token_requests_total{outcome="failed"}\` has the reasons. \`unavailable\` means that the store does not answer: continue at [GreetingStoreNotFollowed](#greetingstorenotfollowed).
2. For \`internal\`, search the log for the level \`error\`. The line has the trace ID of the response.
3. If it began with an upgrade, go back: \`helm rollback\`.`,
  },
  GreetingIssuanceBudgetBurnsSlowly: {
    commands: [
      metrics('identity-provider', 'greeting_token_requests_total.*failed'),
      failures('identity-provider'),
    ],
    text: `The same errors at a lower rate. Compare their times with restarts of the database and of the pods.`,
  },
  GreetingIssuanceSlow: {
    commands: [
      metrics(
        'identity-provider',
        'greeting_(signature|store_operation)_duration_seconds_(sum|count)',
      ),
    ],
    text: `1. Compare \`greeting_signature_duration_seconds\` with \`greeting_store_operation_duration_seconds\`. The slower one is the reason.
2. Slow signatures mean too little processor time: look for throttled containers, and add replicas.
3. A slow store needs its administrator. [Sizing](../guides/operating.md#sizing) has the expected figures.`,
  },
  GreetingIdentityProviderDown: {
    commands: [state('identity-provider')],
    text: `1. Look at the pods and at the last lines of their logs. A failed start has one sentence with the reason.
2. If they run, check the port for metrics and the network policy.`,
  },
  GreetingStoreNotFollowed: {
    commands: [
      metrics('identity-provider', 'greeting_(directory|signing_keys)_age_seconds'),
      failures('identity-provider'),
    ],
    text: `A server that cannot read its store for a second issues no tokens. It recovers by itself.

1. Check the database: does it accept connections, is it a standby, is its disk full?
2. One server alone points to its network. All of them point to the database.
3. If the database is lost, restore it: [storage](../guides/storage.md#restore).`,
  },
  GreetingStoreFails: {
    commands: [
      metrics('identity-provider', 'greeting_store_operation_duration_seconds_count'),
      failures('identity-provider'),
    ],
    text: `The log has the error of the store at the level \`warn\` or \`error\`. Check the limit of connections and the locks of the database.`,
  },
  GreetingStoreWentBack: {
    commands: [failures('identity-provider')],
    text: `A failover or a restore lost acknowledged changes. A removed secret, a withdrawn consent or a revoked key may be in force again.

1. Read the time in the log line \`the store was rolled back\`.
2. Make the changes after that time again: [losses](../guides/storage.md#losses).`,
  },
  GreetingClockDiffers: {
    commands: [
      metrics('identity-provider', 'greeting_clock_'),
      { places: ['date --utc', 'timedatectl', nodes] },
    ],
    text: `One server alone has a wrong clock, and all servers together point to the clock of the database. Correct the time synchronization of that machine.
With SQLite, the clock moved. The server is not ready and [deletes nothing by its age](../guides/storage.md#a-wrong-clock).`,
  },
  GreetingReplicasDisagree: {
    commands: [
      metrics('identity-provider', 'greeting_directory_(revision|age_seconds)'),
      state('identity-provider'),
    ],
    text: `One server does not see new changes. Restart the one with the lower \`greeting_directory_revision\`.
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
    text: `Secrets or certificates of clients end within 30 days. \`GET /v1.0/applications\` shows \`endDateTime\` of each credential. Add a new one, let the client use it, and remove the old one.`,
  },
  GreetingAuditWaits: {
    commands: [
      metrics(
        'identity-provider',
        'greeting_audit_|greeting_store_operation_duration_seconds_(sum|count)',
      ),
    ],
    text: `The store accepts fewer audit records than the requests make. Check its latency. Above 50,000 records, new ones are dropped.`,
  },
  GreetingAuditDropsRecords: {
    commands: [metrics('identity-provider', 'greeting_audit_'), failures('identity-provider')],
    text: `Records of tokens or of refused changes are lost, and the audit log has their number. Restore the store first. Changes of the directory are never dropped.`,
  },
  GreetingAuditExportLoss: {
    commands: [
      metrics('identity-provider', 'greeting_audit_export_'),
      failures('identity-provider'),
    ],
    text: `A log store of \`AUDIT_EXPORT\` is unavailable or too slow. The log line \`export of the audit log failed\` has the reason. Tokens are issued, and the next records leave by themselves. Changes are in the audit log; gaps in \`number\` show what the log store lacks.`,
  },
  GreetingAssertionsNearLimit: {
    commands: [metrics('identity-provider', 'greeting_storage_used_assertions')],
    text: `With \`ASSERTION_USE=once\`, each assertion is kept until it expires. Raise \`MAX_USED_ASSERTIONS\`, or make clients sign assertions with a shorter lifetime.`,
  },
  GreetingCredentialGuessing: {
    commands: [{ greeting: 'audit --action token.throttle --since 1h' }],
    text: `1. \`npx --no-install greeting audit --action token.throttle --since 1h\` shows the sources.
2. If all have the address of the proxy, set \`TRUSTED_PROXIES\`.
3. If it is one client, its secret has probably ended. Correct requests are always served.`,
  },
  GreetingManagementFails: {
    commands: [failures('identity-provider')],
    text: `The log has the error at the level \`error\`, with the trace ID of the response. Changes that got 500 were not made, and tokens are not concerned.
If it began with an upgrade, go back: \`helm rollback\`.`,
  },
  GreetingAuditLogNearLimit: {
    commands: [metrics('identity-provider', 'greeting_storage_(audit_records|bytes)')],
    text: `At the limit, the oldest records of this lane are deleted earlier. Raise its limit, or copy the records away: [what fails first](../guides/operating.md#what-fails-first-and-its-signs).
\`signIns\` has the limit \`MAX_SIGN_IN_RECORDS\`, \`unauthenticated\` has \`MAX_UNAUTHENTICATED_RECORDS\`, and \`refusedChanges\` has \`MAX_REFUSED_CHANGE_RECORDS\`.`,
  },
  GreetingCertificateEnds: {
    commands: [
      metrics('identity-provider', 'greeting_https_certificate_end_seconds'),
      failures('identity-provider'),
    ],
    text: `The server renews its certificate 30 days before the end, when its clock agrees with the store. The log has the error \`renewal of the server certificate failed\`.
Check that the folder \`tls\` of \`DATA_DIR\` can be written. A certificate of a proxy is not seen here.`,
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
    text: `The same at a lower rate, for example at each start of an API. Start the identity provider first, and use \`/readyz\` for the traffic.`,
  },
  GreetingApiDown: {
    commands: [state('api')],
    text: `As [GreetingIdentityProviderDown](#greetingidentityproviderdown), for the API.`,
  },
  GreetingKeysUnusable: {
    commands: [metrics('api', 'greeting_guard_key'), failures('api')],
    text: `1. Open the URL of the key set from the network of the API.
2. Check \`JWKS_URL\` and \`AUTH_URL\`, the certificate of the origin, and the network policy.
3. The log line \`key set could not be refreshed\` has the code of the failure.`,
  },
  GreetingKeySetOld: {
    commands: [metrics('api', 'greeting_guard_key'), failures('api')],
    text: `The API still works with its last keys. It answers 503 when they are 24 hours old. The remedy is the same as for [GreetingKeysUnusable](#greetingkeysunusable).`,
  },
  GreetingManyInvalidTokens: {
    commands: [metrics('api', 'greeting_guard_decisions_total')],
    text: `1. \`greeting_guard_decisions_total\` has the reasons.
2. A wrong audience or issuer points to a changed setting of the API or of a client.
3. Unknown keys and bad signatures point to tokens of another issuer, or to an attack.`,
  },
  GreetingApiFails: {
    commands: [failures('api')],
    text: `The log has the error at the level \`error\`, with the trace ID of the response. If it began with an upgrade, go back: \`helm rollback\`.`,
  },
  GreetingApiSlow: {
    commands: [
      metrics('api', 'nodejs_eventloop_lag_p99_seconds|process_cpu_seconds_total'),
      metrics('api', 'greeting_guard_key_set_refreshes_total'),
    ],
    text: `1. A blocked event loop means too little processor time: add replicas.
2. Failed refreshes of the key set delay tokens with a new key: continue at [GreetingKeysUnusable](#greetingkeysunusable).`,
  },
  GreetingEventLoopBlocked: {
    commands: [metrics('identity-provider', processFigures), metrics('api', processFigures)],
    text: `The process does not get enough processor time. Add replicas, and raise the limit of the container.`,
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
    text: `Look at the output of the last run: a full disk and a database that does not answer are the usual reasons. Then make a backup by hand: [storage](../guides/storage.md).
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
    text: `The last line has the reason. The job changes nothing that an old pod cannot read, so the release before it goes on. Correct the reason, and repeat \`helm upgrade\`.`,
  },
}
