import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Manifest = {
  readonly name: string
  readonly version: string
  readonly license?: string
  /** The hash of a package that is not installed, because the source has its served files. */
  readonly integrity?: string
}

/** The parts of a lock file of npm that give a package its hash. */
type LockFile = {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string }>
  >
}

/** A list of contents in the format CycloneDX 1.6. */
export type Bill = {
  readonly metadata: { readonly component: object }
  readonly components: readonly object[]
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

/** The URL of a package, of which a scanner takes name and version. */
const purlOf = ({ name, version }: Manifest) => `pkg:npm/${name.replace('@', '%40')}@${version}`

const componentOf = (one: Manifest, sha512?: string) => ({
  type: 'library',
  'bom-ref': purlOf(one),
  name: one.name,
  version: one.version,
  purl: purlOf(one),
  ...(one.license && { licenses: [{ expression: one.license }] }),
  ...(sha512 && {
    hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
  }),
})

/** The text of a list of contents. */
export const billText = (metadata: Bill['metadata'], components: Bill['components']): string => {
  const format = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 }
  const $schema = 'http://cyclonedx.org/schema/bom-1.6.schema.json'
  return `${JSON.stringify({ $schema, ...format, metadata, components }, null, 2)}\n`
}

/**
 * Lists what the files of a bundled package contain: `sbom.cdx.json` for a scanner, and `LICENSES.txt`
 * with the terms of each package of the registry.
 *
 * @param subject the manifest of the package
 * @param folders the folders of the contained packages, each with its manifest and its terms
 */
export function writeContents(
  root: string,
  target: string,
  subject: Manifest,
  folders: readonly string[],
): void {
  const { packages }: LockFile = readJson(join(root, 'package-lock.json'))
  const inside = folders.map((folder) => {
    const manifest: Manifest = readJson(join(folder, 'package.json'))
    const place = folder.slice(root.length + 1).replaceAll('\\', '/')
    const [, sha512] =
      /^sha512-(.+)$/.exec(packages[place]?.integrity ?? manifest.integrity ?? '') ?? []
    return { folder, manifest, sha512 }
  })
  const components = inside.map(({ manifest, sha512 }) => componentOf(manifest, sha512))
  const bill = billText({ component: componentOf(subject) }, components)
  writeFileSync(join(target, 'sbom.cdx.json'), bill)
  const terms = inside.map(({ folder, manifest }) => {
    const files = readdirSync(folder).filter((file) =>
      /^(licen[cs]e|notice)|\.LICENSE\.txt$/i.test(file),
    )
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
    return [`${manifest.name} ${manifest.version} (${manifest.license})`, ...texts].join('\n\n')
  })
  writeFileSync(join(target, 'LICENSES.txt'), terms.join(`\n${'-'.repeat(80)}\n`))
}
