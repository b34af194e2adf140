import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bill, billText } from '../../tools/build/contents.ts'

type Component = { readonly 'bom-ref': string }

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

/**
 * The bill of materials of an image in CycloneDX 1.6: the lists of its built packages, and the Node that
 * runs them.
 *
 * @param folder the folder of the program
 * @param nodeVersion such as `24.21.0`
 */
export function billOfImage(image: string, folder: string, nodeVersion: string): string {
  const { version, license } = readJson(join(folder, 'package.json'))
  const bills = globSync('{,node_modules/@greeting/*/}sbom.cdx.json', { cwd: folder })
    .toSorted()
    .map((file): Bill => readJson(join(folder, file)))
  const all = bills.flatMap(({ metadata, components }) => [metadata.component, ...components])
  const unique = new Map((all as Component[]).map((one) => [one['bom-ref'], one]))
  const node = {
    type: 'platform',
    'bom-ref': 'node',
    name: 'node',
    version: nodeVersion,
    cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${nodeVersion}`,
  }
  const component = {
    type: 'container',
    'bom-ref': image,
    name: image,
    version,
    purl: `pkg:oci/${image}?tag=${version}`,
    licenses: [{ expression: license }],
  }
  return billText({ component }, [node, ...unique.values()])
}
