import assert from 'node:assert/strict'
import { it } from 'node:test'
import { files, read, resolveOurs } from './source-tree.ts'

const valueImport =
  /^(?:import|export)(?! type\b)\b[^'"`;]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'/gm

/** The files and packages that a file loads with its static imports of values. */
function loadedBy(main: string): Set<string> {
  const loaded = new Set<string>()
  const visit = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const [, from = '', alone = ''] of read(file).matchAll(valueImport)) {
      const target = resolveOurs(file, from || alone)
      if (target === undefined) loaded.add(from || alone)
      else visit(target)
    }
  }
  visit(main)
  return loaded
}

const idp = 'services/identity-provider/src'

it('a start of the identity provider loads no code that only some requests or settings need', () => {
  const loaded = loadedBy(`${idp}/main.ts`)
  assert.ok(loaded.has(`${idp}/endpoints/token-endpoint.ts`))
  const later = [
    `${idp}/telemetry/audit-export/audit-export.ts`,
    `${idp}/backup/backup-command.ts`,
    `${idp}/certificates/local-certificates.ts`,
    `${idp}/management/create-apps.ts`,
    `${idp}/management/operations/operations-app.ts`,
    `${idp}/telemetry/metrics/metrics.ts`,
    'packages/portal/src/portal-app.ts',
    `${idp}/portal-host/portal-host.ts`,
    'packages/lab/src/lab.ts',
    `${idp}/lab/lab-controls.ts`,
    'packages/directory/src/storage/postgres/postgres-database.ts',
    'pg',
    'prom-client',
  ]
  assert.deepEqual(
    later.filter((name) => loaded.has(name)),
    [],
  )
})

it('a later start of the system loads no code that only a first start needs', () => {
  const loaded = [...loadedBy('cli/src/main.ts'), ...loadedBy('cli/src/commands/start.ts')]
  assert.ok(loaded.includes('cli/src/system/running-system.ts'))
  const later = /first-registrations|load-file|packages\/(registrations|directory|guard)\/|^zod$/
  assert.deepEqual(
    loaded.filter((name) => later.test(name)),
    [],
  )
})

it("every start of a service limits V8's young generation and the memory that glibc keeps", () => {
  const starts = files.filter((file) =>
    /^deploy\/(Containerfile$|systemd\/|windows\/.*\.xml$)/.test(file),
  )
  assert.equal(starts.length, 4)
  for (const file of starts) {
    assert.ok(read(file).includes('--max-semi-space-size=8'), file)
    // Windows has no glibc.
    assert.ok(/windows/.test(file) || /MALLOC_TRIM_THRESHOLD_\W+131072/.test(read(file)), file)
  }
})
