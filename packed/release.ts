import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackages } from '../build/build-packages.ts'
import { Consumer } from './consumer.ts'
import { run } from './program.ts'
import { releaseFaults } from './release-faults.ts'
import { packAll } from './tarball.ts'

// `npm run release -- --dry-run`: checks, builds, packs, verifies the tarballs and lists their contents as
// CycloneDX. It publishes nothing: the workflow stages the same tarballs, and a person approves them.

const root = join(import.meta.dirname, '..')
const folder = join(root, 'release')
const npmRun = (...args: string[]): void => {
  const { npm_execpath: script = 'npm' } = process.env
  const { status, stdout, stderr } = run(process.execPath, [script, 'run', ...args], root, {
    GREETING_TARBALLS: folder,
  })
  if (status !== 0) throw new Error(`npm run ${args.join(' ')} failed\n${stdout}${stderr}`)
}
const sizeOf = (file: string) => `${Math.ceil(statSync(file).size / 1024)} KB`

if (process.argv[2] !== '--dry-run') {
  console.error('Only the release workflow publishes. Use: npm run release -- --dry-run')
  process.exitCode = 2
} else {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const faults = releaseFaults(read('package.json'), read('CHANGELOG.md'))
  if (faults.length > 0) {
    console.error(faults.join('\n'))
    process.exitCode = 1
  } else await prepareRelease()
}

async function prepareRelease(): Promise<void> {
  console.error('1/5 check')
  npmRun('check')
  console.error('2/5 build and pack')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const packages = await buildPackages(root)
  packAll(packages, folder)
  console.error('3/5 verify the tarballs')
  npmRun('test:packages')
  console.error('4/5 list the contents as CycloneDX')
  for (const { name } of packages) writeBill(name.replace('@greeting/', ''))
  console.error('5/5 nothing is published. The release workflow would stage:')
  for (const file of readdirSync(folder).filter((one) => one.endsWith('.tgz'))) {
    console.log(
      `npm stage publish ${file} --access public --provenance  (${sizeOf(join(folder, file))})`,
    )
  }
}

/** Writes the list of all packages that an installation of the tarball has. */
function writeBill(name: string): void {
  using consumer = new Consumer().install(name)
  const { npm_execpath: script = 'npm' } = process.env
  const args = [script, 'sbom', '--sbom-format', 'cyclonedx']
  const { status, stdout, stderr } = run(process.execPath, args, consumer.folder)
  if (status !== 0) throw new Error(`npm sbom failed for ${name}\n${stderr}`)
  writeFileSync(join(folder, `greeting-${name}.cdx.json`), stdout)
}
