import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { freshFolder } from '../../../../../test/fixtures/fresh-folder.ts'
import { updateAdministratorFile } from '../../../src/management/bootstrap/bootstrap.ts'

it('an update does not turn a line from administrator.env into a command', async () => {
  const dataDir = freshFolder()
  const note = 'set by ops; echo ran'
  await writeFile(join(dataDir, 'administrator.env'), `NOTE='${note}'\nAUTH_URL=http://old\n`)
  await updateAdministratorFile(dataDir, { authUrl: 'http://new:1', graphUrl: 'http://new:1' })
  const program = '. ./administrator.env; printf "%s %s" "$NOTE" "$AUTH_URL"'
  const printed = execFileSync('sh', ['-c', program], { cwd: dataDir, encoding: 'utf8' })
  assert.equal(printed, `${note} http://new:1`)
})
