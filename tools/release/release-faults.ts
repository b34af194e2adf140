/**
 * Returns what prevents a release, one sentence for each fault.
 *
 * @param manifest the text of the root manifest
 * @param changelog the text of the changelog
 */
export function releaseFaults(manifest: string, changelog: string): readonly string[] {
  const { version } = JSON.parse(manifest) as { version: string }
  const faults: string[] = []
  if (!/^\d+\.\d+\.\d+$/.test(version))
    faults.push(`the version ${version} is not MAJOR.MINOR.PATCH`)
  const [, section] = changelog.split(`\n## [${version}]`)
  if (section === undefined) faults.push(`CHANGELOG.md has no section ## [${version}]`)
  else if (!/^ - \d{4}-\d{2}-\d{2}\n/.test(section))
    faults.push(`the section ${version} has no date`)
  else if (!/^- /m.test(section.split('\n## ')[0] ?? ''))
    faults.push(`the section ${version} is empty`)
  return faults
}
