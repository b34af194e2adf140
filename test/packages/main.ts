import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPackages } from '../../tools/build/build-packages.ts'
import { packAll } from './tarball.ts'

// `npm run test:packages`: builds and packs once, then tests those tarballs.
// The folder GREETING_TARBALLS, when it is set, has the tarballs already.
// Arguments replace the test files, such as `npm run test:packages -- test/packages/bundles.test.ts`.

const root = join(import.meta.dirname, '../..')
const packed = process.env.GREETING_TARBALLS
const folder = packed ?? mkdtempSync(join(tmpdir(), 'greeting-packed-'))
try {
  if (packed === undefined) packAll(await buildPackages(root), folder)
  const chosen = process.argv.slice(2)
  const files = chosen.length > 0 ? chosen : [join(import.meta.dirname, '*.test.ts')]
  const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=2', ...files], {
    stdio: 'inherit',
    env: { ...process.env, GREETING_TARBALLS: folder },
  })
  process.exitCode = status ?? 1
} finally {
  if (packed === undefined) rmSync(folder, { recursive: true, force: true })
}
