/** Source files without a test at their mirrored path, and the test that runs them. */
export type CoveredFiles = {
  /** Files, and folders with a slash at the end. Files of a folder that have a test do not count. */
  readonly paths: readonly string[]
  /** The test. It imports the files, directly or not, unless it starts them as a process. */
  readonly test: string
  readonly startsProcess?: true
  readonly reason: string
}

const idp = (path: string) => `services/identity-provider/${path}`

/** The exceptions to the rule that a test has the path of its source file, with `test` for `src`. */
export const coveredElsewhere: readonly CoveredFiles[] = [
  {
    paths: ['packages/http-service/src/workers/run-primary.ts'],
    test: 'services/greeting-api/test/workers.system.test.ts',
    startsProcess: true,
    reason: 'Workers are processes of a whole service.',
  },
  {
    paths: ['cli/src/administrator/', 'cli/src/audit/', 'cli/src/commands/audit-filters.ts'],
    test: 'cli/test/commands/audit.test.ts',
    reason: 'The command runs against a fake audit server.',
  },
  {
    paths: ['cli/src/client/', 'cli/src/terminal.ts', 'cli/src/text/token-text.ts'],
    test: 'cli/test/commands/client-commands.test.ts',
    reason: 'The commands of a client run with a recorded terminal.',
  },
  {
    paths: ['cli/src/commands/lab-faults.ts', 'cli/src/commands/lab-request.ts'],
    test: 'cli/test/commands/lab.system.test.ts',
    reason: 'The answers come from a real lab.',
  },
  {
    paths: [
      'cli/src/commands/registrations/open-session.ts',
      'cli/src/commands/registrations/questions.ts',
      'cli/src/registrations/applied-text.ts',
      'cli/src/registrations/session.ts',
    ],
    test: 'cli/test/commands/registrations/apply.test.ts',
    reason: 'They are the dialogue of the command `apply`.',
  },
  {
    paths: ['cli/src/doctor/'],
    test: 'cli/test/commands/doctor.test.ts',
    reason: 'Each row of the test is a fault that one check finds.',
  },
  {
    paths: ['cli/src/command-loaders.ts', 'cli/src/exit-codes.ts', 'cli/src/program.ts'],
    test: 'cli/test/text/reference.test.ts',
    reason: 'The test compares all commands and exit codes with their page.',
  },
  {
    paths: ['cli/src/browser.ts'],
    test: 'cli/test/commands/portal.test.ts',
    reason: 'Only the command `portal` opens a browser.',
  },
  {
    paths: ['packages/registrations/src/apply/'],
    test: 'cli/test/registrations/apply/apply.test.ts',
    reason: 'The steps of one run of `apply` depend on one another.',
  },
  {
    paths: ['packages/registrations/src/planning/'],
    test: 'packages/registrations/test/planning/plan-faults.test.ts',
    reason: 'The tests of the folder compare whole plans.',
  },
  {
    paths: ['cli/src/schedule/'],
    test: 'cli/test/schedule/job-loop.test.ts',
    reason: 'The loop of jobs runs on the schedule.',
  },
  {
    paths: ['cli/src/system/'],
    test: 'cli/test/commands/start.system.test.ts',
    reason: 'The test starts the whole system with fake services.',
  },
  {
    paths: ['cli/src/text/completion-script.ts'],
    test: 'cli/test/commands/completion.system.test.ts',
    reason: 'The test runs the script in a shell.',
  },
  {
    paths: ['cli/src/client/job-tracing.ts'],
    test: 'e2e/test/tracing.test.ts',
    startsProcess: true,
    reason: 'One trace passes through the command and both services.',
  },
  {
    paths: ['packages/client/src/call/', 'packages/client/src/http/'],
    test: 'packages/client/test/call/fetch-with-token.test.ts',
    reason: 'Calls, retries and redirects are one sequence of requests.',
  },
  {
    paths: ['packages/client/src/events.ts'],
    test: 'packages/client/test/hooks.test.ts',
    reason: 'The test collects every event.',
  },
  {
    paths: ['packages/client/src/files/'],
    test: 'packages/client/test/files/token-cache-file.system.test.ts',
    reason: 'Real files and two processes show the lock.',
  },
  {
    paths: ['packages/client/src/option-rules.ts'],
    test: 'packages/client/test/options.test.ts',
    reason: 'The test has a row for each option.',
  },
  {
    paths: [
      'packages/client/src/credentials/',
      'packages/client/src/runtime.ts',
      'packages/client/src/token/',
    ],
    test: 'packages/client/test/token/token-source.test.ts',
    reason: 'The token source joins the cache, the request and its retries.',
  },
  {
    paths: ['packages/guard/src/adapters/', 'packages/guard/src/routes/'],
    test: 'packages/guard/test/adapters/adapters.test.ts',
    reason: 'One table of requests runs against every adapter.',
  },
  {
    paths: [
      'packages/guard/src/entra.ts',
      'packages/guard/src/keys/',
      'packages/guard/src/resource-metadata.ts',
    ],
    test: 'packages/guard/test/guard.test.ts',
    reason: 'The test uses them through the public functions of the package.',
  },
  {
    paths: [
      'packages/registrations/src/app-role-entry.ts',
      'packages/registrations/src/json-members.ts',
      'packages/registrations/src/references.ts',
      'packages/registrations/src/registrations-file.ts',
    ],
    test: 'packages/registrations/test/parse-registrations.test.ts',
    reason: 'The parser reports the faults that these parts find.',
  },
  {
    paths: ['services/greeting-api/src/'],
    test: 'services/greeting-api/test/greetings.test.ts',
    reason: 'The test starts the service on a real socket.',
  },
  {
    paths: [idp('src/app.ts'), idp('src/http/'), idp('src/dialect/')],
    test: idp('test/http/refusals.test.ts'),
    reason: 'The table of refusals has a request for each row of the dialect.',
  },
  {
    paths: [idp('src/certificates/')],
    test: idp('test/certificates/name-constraints.test.ts'),
    reason: 'The test has real certificates verified by OpenSSL.',
  },
  {
    paths: [idp('src/federation/')],
    test: idp('test/federation/federated-issuers.test.ts'),
    reason: 'The test has an issuer with its own metadata on a real socket.',
  },
  {
    paths: [idp('src/issuance/')],
    test: idp('test/issuance/token-decision.test.ts'),
    reason: 'A decision contains the authentication of the client.',
  },
  {
    paths: [idp('src/listeners.ts'), idp('src/startup/'), idp('src/management/create-apps.ts')],
    test: idp('test/service.system.test.ts'),
    reason: 'They are the phases of a start.',
  },
  {
    paths: [idp('src/answer-requests.ts'), idp('src/service-world.ts')],
    test: idp('test/service.system.test.ts'),
    reason: 'They are the parts of the service, which the test starts whole.',
  },
  {
    paths: [idp('src/lab/')],
    test: idp('test/lab/lab-operations.system.test.ts'),
    reason:
      'The lab works on a whole server. The tests of the kit use each fault, forgery and rule.',
  },
  {
    paths: ['packages/testing/src/'],
    test: 'packages/testing/test/entra.test.ts',
    reason: 'The kit is one object over a whole server.',
  },
  {
    paths: [idp('src/management/bootstrap/')],
    test: idp('test/management/bootstrap/bootstrap.test.ts'),
    reason: 'The plan and the administrator are one step of the first start.',
  },
  {
    paths: [idp('src/directory/privileged-roles.ts')],
    test: idp('test/management/privilege-escalation.test.ts'),
    reason: 'The roles decide whether a change is permitted.',
  },
  {
    paths: [idp('src/management/graph/'), idp('src/management/privileged-apis.ts')],
    test: idp('test/management/privilege/privilege-table.test.ts'),
    reason: 'The table calls every operation with every role.',
  },
  {
    paths: [idp('src/management/http/'), idp('src/management/odata/')],
    test: idp('test/management/odata/list-entities.test.ts'),
    reason: 'Bodies, queries and errors are tested through requests.',
  },
  {
    paths: [idp('src/management/server/')],
    test: idp('test/management/server/server-operations.test.ts'),
    reason: 'The test calls every operation of the server.',
  },
  {
    paths: [idp('src/portal/')],
    test: idp('test/portal/portal-app.system.test.ts'),
    reason: 'The tests of the folder use the portal as a browser does.',
  },
  {
    paths: [idp('src/backup/')],
    test: idp('test/backup/backup-command.system.test.ts'),
    reason: 'A backup is useful only with its restore.',
  },
  {
    paths: [idp('src/metrics/')],
    test: idp('test/metrics/metrics.test.ts'),
    reason: 'The test reads the metrics of all parts as one text.',
  },
  {
    paths: [idp('src/registrations/')],
    test: idp('test/registrations/seed-registrations.test.ts'),
    reason: 'The changes are compared in the seeded directory.',
  },
  {
    paths: [idp('src/directory/directory.ts'), idp('src/directory/directory-lookup.ts')],
    test: idp('test/directory/directory-cache.test.ts'),
    reason: 'The lookups are those of the cache.',
  },
  {
    paths: [idp('src/management/graph/deleted-items/purge-expired.ts')],
    test: idp('test/management/graph/deleted-items/deleted-item-operations.test.ts'),
    reason: 'A purge ends the time for restoring.',
  },
  {
    paths: [idp('src/signing/')],
    test: idp('test/signing/signing-keys.test.ts'),
    reason: 'The life of a key passes through all of them.',
  },
  {
    paths: [idp('src/storage/')],
    test: idp('test/storage/postgres-storage.system.test.ts'),
    reason: 'One conformance suite runs against both databases.',
  },
]

/** Test folders without a source folder of the same name. */
export const otherTestFolders: readonly { readonly folder: string; readonly reason: string }[] = [
  {
    folder: 'cli/test/registrations/apply',
    reason: 'Plans are applied through the Graph client of the command, over a fake Graph.',
  },
  { folder: 'packages/guard/test/docs', reason: 'The tests run and compare documents.' },
  { folder: 'packages/guard/test/faults', reason: 'The faults are those of a provider.' },
  {
    folder: idp('test/fakes'),
    reason: 'The fake directory has a test, because many tests rely on it.',
  },
  { folder: idp('test/parity'), reason: 'The page concerns all rooms, and lists the tests.' },
  { folder: idp('test/management/privilege'), reason: 'The rules concern both management APIs.' },
]
