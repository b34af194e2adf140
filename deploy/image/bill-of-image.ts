import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Manifest = {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly integrity?: string
}

/** The parts of a lock file of npm that give a package its hash. */
type LockFile = { readonly packages: Readonly<Record<string, Partial<Manifest>>> }

const manifestOf = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8'))

/** The packages of a folder, as their manifests lie there. Manifests deeper in a package only set options. */
const packagesIn = (folder: string): readonly Manifest[] =>
  globSync('**/node_modules/{*,@*/*}/package.json', { cwd: folder })
    .toSorted()
    .map((file) => manifestOf(join(folder, file)))

/** The URL of a package, of which a scanner takes name and version. */
const purlOf = ({ name, version }: Manifest) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/**
 * The list of what lies in the layers of an image, with the Node that runs it, in the format CycloneDX 1.6.
 * `npm sbom` leaves out most dependencies of a workspace.
 *
 * @param folder the layers; its `program` is the service
 * @param lockFile the text of the lock file, which has the hash of each package
 * @param nodeVersion such as `24.21.0`
 */
export function billOfImage(
  image: string,
  folder: string,
  lockFile: string,
  nodeVersion: string,
): string {
  const { version, license } = manifestOf(join(folder, 'program/package.json'))
  const locked = Object.entries((JSON.parse(lockFile) as LockFile).packages)
  const hashesOf = ({ name, version }: Manifest) => {
    const found = locked.find(
      ([path, one]) =>
        (one.name ?? path.split('node_modules/').at(-1)) === name && one.version === version,
    )
    const [, sha512] = /^sha512-(.+)$/.exec(found?.[1].integrity ?? '') ?? []
    return sha512 && [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }]
  }
  const componentOf = (one: Manifest) => ({
    type: 'library',
    'bom-ref': purlOf(one),
    name: one.name,
    version: one.version,
    purl: purlOf(one),
    ...(one.license && { licenses: [{ expression: one.license }] }),
    ...(hashesOf(one) && { hashes: hashesOf(one) }),
  })
  const node = {
    type: 'platform',
    'bom-ref': 'node',
    name: 'node',
    version: nodeVersion,
    cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${nodeVersion}`,
  }
  const subject = {
    type: 'container',
    'bom-ref': image,
    name: image,
    version,
    purl: `pkg:oci/${image}?tag=${version}`,
    licenses: [{ expression: license }],
  }
  const unique = new Map(packagesIn(folder).map((one) => [purlOf(one), componentOf(one)]))
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: subject },
    components: [node, ...unique.values()],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}
