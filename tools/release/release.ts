import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { billOfPackage } from '../../test/packages/bill-of-package.ts'
import { Consumer } from '../../test/packages/consumer.ts'
import { npm } from '../../test/packages/program.ts'
import { packAll } from '../../test/packages/tarball.ts'
import { buildPackages } from '../build/build-packages.ts'
import { platforms, writeExecutable } from './executable.ts'
import { releaseFaults } from './release-faults.ts'
import { prepareRelease } from './release-steps.ts'

// `npm run release -- --dry-run`: checks, builds, packs, verifies the tarballs and lists their contents as
// CycloneDX. `--executables` only writes the command as one file. It publishes nothing: the workflow stages the same tarballs, and a person approves them.

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'release')
// The tests of the tarballs, and the consumers of the lists, use the tarballs of this folder.
process.env.GREETING_TARBALLS = folder

if (process.argv[2] === '--executables') {
  await buildPackages(root, undefined, ['cli'])
  mkdirSync(folder, { recursive: true })
  for (const file of Object.keys(platforms).map(writeExecutableOf)) console.log(`release/${file}`)
} else if (process.argv[2] !== '--dry-run') {
  console.error('Only the release workflow publishes. Use: npm run release -- --dry-run')
  process.exitCode = 2
} else {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const faults = releaseFaults(read('package.json'), read('CHANGELOG.md'))
  if (faults.length > 0) {
    console.error(faults.join('\n'))
    process.exitCode = 1
  } else
    await prepareRelease({
      runScript: (script) => npm(['run', script], root),
      build: () => buildPackages(root),
      pack: (packages) => {
        rmSync(folder, { recursive: true, force: true })
        mkdirSync(folder)
        packAll(packages, folder)
        const tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
        return new Map(tarballs.toSorted().map((file) => [file, statSync(join(folder, file)).size]))
      },
      writeBill,
      writeExecutables: () => Object.keys(platforms).map(writeExecutableOf),
      progress: (line) => console.error(line),
      print: (line) => console.log(line),
    })
}

/** Writes the executable of a platform beside the tarballs. */
function writeExecutableOf(platform: string): string {
  const file = `greeting-${platform}${platform.startsWith('win') ? '.exe' : ''}`
  writeExecutable(
    root,
    join(root, 'cli/dist'),
    platform as keyof typeof platforms,
    join(folder, file),
  )
  return file
}

/** Writes the list of all packages that an installation of the tarball has. */
function writeBill(name: string): string {
  const short = name.replace('@greeting/', '')
  // npm needs a version for the list.
  using consumer = new Consumer({ version: '0.0.0' }).install(short)
  const file = `greeting-${short}.cdx.json`
  // A bundle brings its list, because npm does not see what is inside.
  const own = join(consumer.folder, 'node_modules', name, 'sbom.cdx.json')
  if (existsSync(own)) cpSync(own, join(folder, file))
  else {
    const bill = npm(['sbom', '--sbom-format', 'cyclonedx'], consumer.folder)
    writeFileSync(join(folder, file), billOfPackage(bill, name))
  }
  return file
}
