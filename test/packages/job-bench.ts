import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildPackages } from '../../tools/build/build-packages.ts'
import { Consumer } from './consumer.ts'
import { packAll } from './tarball.ts'

// `npm run bench:job`: the wall time of `greeting hi` from the installed package, with a kept token, beside an
// empty script. The runs take turns, so that a busy machine slows all of them.

const rounds = 21
const maxRatio = 4

const tarballs = mkdtempSync(join(tmpdir(), 'greeting-job-'))
process.env.GREETING_TARBALLS = tarballs
packAll(await buildPackages(join(import.meta.dirname, '../..')), tarballs)
using consumer = new Consumer().install('cli')
const installed = join(consumer.folder, 'node_modules/@greeting/cli')
const bin = join(installed, 'bin/greeting.js')
const scripts = {
  empty: [consumer.write('empty.js', '')],
  imports: [
    consumer.write(
      'imports.js',
      `import { enableCompileCache } from ${JSON.stringify(join(installed, 'bin/compile-cache.js'))}
      enableCompileCache(process.env)
      await import(${JSON.stringify(join(installed, 'lib/together.js'))})`,
    ),
  ],
  fetch: [consumer.write('fetch.js', `await (await fetch(process.argv[2] + '/healthz')).text()`)],
  hi: [bin, 'hi'],
}
const system = spawn(
  process.execPath,
  [bin, 'start', '--json', '--api-port', '0', '--identity-port', '0'],
  {
    cwd: consumer.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
try {
  const [line] = await once(createInterface(system.stdout), 'line')
  scripts.fetch.push(JSON.parse(line).api.url)
  const names = Object.keys(scripts) as (keyof typeof scripts)[]
  const timesMs = new Map(names.map((name) => [name, [] as number[]]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const startMs = performance.now()
      const { status, stderr } = spawnSync(process.execPath, scripts[name], {
        cwd: consumer.folder,
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`${name} failed: ${stderr}`)
      // The first round fills the caches of tokens and of compiled code.
      if (round > 0) timesMs.get(name)?.push(performance.now() - startMs)
    }
  }
  const median = (name: keyof typeof scripts) =>
    (timesMs.get(name) ?? []).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
  const [empty, imports, hi] = [median('empty'), median('imports'), median('hi')]
  const oneFetch = median('fetch')
  const ratio = hi / empty
  const share = (imports - empty) / (hi - empty)
  console.log(`empty script      ${empty.toFixed(0)} ms, median of ${rounds}`)
  console.log(
    `greeting hi       ${hi.toFixed(0)} ms, ${ratio.toFixed(1)} times; the limit is ${maxRatio}`,
  )
  console.log(
    `one fetch         ${oneFetch.toFixed(0)} ms, a script that reads an open route and has no package`,
  )
  console.log(`share of imports  ${(100 * share).toFixed(0)} % of the time above the empty script`)
  console.log(`load average      ${loadavg()[0]?.toFixed(1)}`)
  process.exitCode = ratio <= maxRatio ? 0 : 1
} finally {
  system.kill('SIGINT')
  await once(system, 'exit')
  rmSync(tarballs, { recursive: true })
}
