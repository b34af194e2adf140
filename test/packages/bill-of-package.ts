type Component = {
  readonly 'bom-ref': string
  readonly name: string
  readonly externalReferences?: readonly { readonly type: string; readonly url: string }[]
}

type Bill = {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string }[]
}

/**
 * Makes a package the subject of the CycloneDX list of a project that has installed its tarball. npm
 * lists the project as the subject, and the local path of the tarball.
 *
 * @param bill the output of `npm sbom`, as JSON
 * @throws {Error} when the project has not installed the package
 */
export function billOfPackage(bill: string, name: string): string {
  const { metadata, components, dependencies, ...rest }: Bill = JSON.parse(bill)
  const installed = components.find((one) => one.name === name)
  if (installed === undefined) throw new Error(`the list does not contain ${name}`)
  const references = installed.externalReferences ?? []
  const component = {
    ...installed,
    externalReferences: references.filter(({ url }) => !url.startsWith('file:')),
  }
  const project = metadata.component['bom-ref']
  const ofPackage = {
    ...rest,
    metadata: { ...metadata, component },
    components: components.filter((one) => one !== installed),
    dependencies: dependencies.filter(({ ref }) => ref !== project),
  }
  return `${JSON.stringify(ofPackage, null, 2)}\n`
}
