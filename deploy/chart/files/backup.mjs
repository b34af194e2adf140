// The job of the backup: it writes one, restores it into a store for a trial, and removes the oldest ones.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const { BACKUPS_KEPT: kept, BACKUP_DIR: root } = process.env
// Another value in a test only.
const { MAIN: main = '/app/lib/main.js' } = process.env

const say = (text) => process.stderr.write(`backup: ${text}\n`)
const remove = (name) => rmSync(join(root, name), { recursive: true, force: true })
const own = () => readdirSync(root).filter((name) => name.startsWith('greeting-'))
const isComplete = (name) => /^greeting-[\dTZ-]+$/.test(name)

function run(args, settings) {
  const env = { ...process.env, ...settings }
  const { status } = spawnSync(process.execPath, [main, ...args], { env, stdio: 'inherit' })
  return status ?? 1
}

mkdirSync(root, { recursive: true })
// What a killed job left. The CronJob runs one at a time.
for (const name of own().filter((one) => !isComplete(one))) remove(name)
const name = `greeting-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
const trial = `${name}.trial`
let code = run(['backup', '--to', join(root, name)])
if (code === 0) {
  // Without DATABASE_URL, the store is a file of this folder.
  const settings = { DATABASE_URL: undefined, DATA_DIR: join(root, trial) }
  code = run(['restore', '--from', join(root, name)], settings)
  remove(trial)
  if (code !== 0) {
    remove(name)
    say('the backup could not be restored, and is removed. The earlier ones stay.')
  }
}
if (code === 0) {
  const names = own().toSorted()
  for (const old of names.slice(0, Math.max(names.length - Number(kept), 0))) remove(old)
  say(`${name} was restored for a trial. ${own().length} backups are kept.`)
}
process.exitCode = code
