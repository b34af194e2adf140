import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPackages } from '../../tools/build/build-packages.ts'
import { billOfImage } from './bill-of-image.ts'
import type { Target } from './targets.ts'

/** Files of a built package that no running program reads. The maps name the source in a stack trace. */
const unused = /\.d\.ts$|[\\/]README\.md$/

/** The file that `kubectl exec` starts by its name. No shell is needed: the kernel reads the first line. */
const commandFile = (module: string) => `#!/nodejs/bin/node
import '${module}'
`

/**
 * Writes what the image has in /app: the built package, the command that lies beside it, and the list
 * of both as `sbom.cdx.json`. The list names the Node of this process.
 *
 * @param root the root of the repository
 * @throws {Error} with the messages of the compiler or of the bundler
 */
export async function writeProgram(
  root: string,
  { name, path, command }: Target,
  folder: string,
): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'greeting-image-'))
  try {
    const built = (of: string) => join(work, of)
    const copy = (of: string, to: string) =>
      cpSync(built(of), to, { recursive: true, filter: (file) => !unused.test(file) })
    await buildPackages(root, built, command === undefined ? [path] : [path, command])
    copy(path, folder)
    if (command !== undefined) {
      copy(command, join(folder, 'node_modules/@greeting/cli'))
      const module = '../node_modules/@greeting/cli/bin/greeting.js'
      writeFileSync(join(folder, 'bin/greeting'), commandFile(module), { mode: 0o755 })
    }
    if (path === 'cli') {
      cpSync(
        join(import.meta.dirname, 'published-ports.js'),
        join(folder, 'bin/published-ports.js'),
      )
      writeFileSync(join(folder, 'bin/greeting'), commandFile('./greeting.js'), { mode: 0o755 })
    }
    const bill = billOfImage(
      name === 'greeting' ? name : `greeting-${name}`,
      folder,
      process.versions.node,
    )
    writeFileSync(join(folder, 'sbom.cdx.json'), bill)
  } finally {
    rmSync(work, { recursive: true })
  }
}
