import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { addressBetween, type SitePage, type SiteSource, slugOf } from './site-pages.ts'

const settings = 'guides/clients'

/** Programs in other languages, by their links in `docs/README.md`: the text of the link is the title. */
export const exampleFiles = (contents: string): ReadonlyMap<string, string> =>
  new Map(
    [...contents.matchAll(/\[([^\]]+)\]\(\.\.\/(examples\/[^)]+)\)/g)].map(
      ([, title = '', file = '']) => [file, title],
    ),
  )

/** One page for each program: its text, and the file with the versions of its packages. */
export function examplePages(
  { root, repositoryUrl }: SiteSource,
  files: ReadonlyMap<string, string>,
): SitePage[] {
  return [...files].map(([file, title]) => {
    const slug = slugOf(file)
    const folder = dirname(file)
    const packages = readdirSync(join(root, folder)).find((name) =>
      /^(go\.mod|pom\.xml|requirements\.txt|.*\.csproj)$/.test(name),
    )
    if (packages === undefined) throw new Error(`${folder} names no packages`)
    const block = (name: string) =>
      `\`\`\`${extname(name).slice(1)} title="${name}"\n${readFileSync(join(root, folder, name), 'utf8').trim()}\n\`\`\``
    return {
      slug,
      title,
      body: `[${folder}](${repositoryUrl}/tree/main/${folder}) has these files.
[In a pipeline](${addressBetween(slug, 'guides/testing')}#in-a-pipeline) shows how an identity provider starts for them,
and [Where to point them](${addressBetween(slug, settings)}#where-to-point-them) has the settings of libraries.

${block(basename(file))}

${block(packages)}
`,
    }
  })
}
