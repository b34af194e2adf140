// Folder: Settings of an environment or of a program, checked by one schema.

import { closestMatch } from 'leven'
import type { z } from 'zod'

/** Settings with faults. Each fault has the name, the actual value and the expected form. */
export class SettingsError extends Error {
  readonly code = 'settings_invalid'
  override readonly name = 'SettingsError'
  readonly faults: readonly string[]

  constructor(service: string, faults: readonly string[]) {
    super([`The ${service} cannot start with these settings:`, ...faults].join('\n  '))
    this.faults = faults
  }
}

type SettingsDefinition<Shape extends z.ZodRawShape, Schema extends z.ZodType> = {
  /** The service in messages, such as `greeting API`. */
  readonly service: string
  /** The schema of each setting. The reference page is generated from them. */
  readonly shape: Shape
  readonly schema: Schema
  /** Settings whose values are never shown. */
  readonly secretNames: readonly string[]
}

/** The schemas and the names of a service's settings, and the function that reads them. */
export function settingsOf<Shape extends z.ZodRawShape, Schema extends z.ZodType>({
  service,
  shape: settingSchemas,
  schema,
  secretNames,
}: SettingsDefinition<Shape, Schema>) {
  const settingNames = Object.keys(settingSchemas)
  /**
   * Checks settings: texts of an environment, or values of their own types. An empty one counts as not
   * set, as in a compose file.
   *
   * @param nameOf how messages name a setting; default as it is
   * @throws {SettingsError} settings_invalid with all faults
   * @example
   * readSettings({ PORT: '0' }).PORT // 0
   */
  function readSettings(
    source: Readonly<Record<string, unknown>>,
    nameOf = (name: string) => name,
  ): z.output<Schema> {
    const values: Readonly<Record<string, unknown>> = Object.fromEntries(
      settingNames
        .map((name) => [name, source[name]])
        .filter(([, value]) => value !== undefined && `${value}` !== ''),
    )
    const result = schema.safeParse(values)
    const marked = settingNames.filter((name) => `\ufeff${name}` in source)
    if (result.success && marked.length === 0) return result.data
    const faults = (result.error?.issues ?? []).map(({ path, message }) => {
      const name = String(path[0])
      const value = values[name]
      if (value === undefined) return `${nameOf(name)} is not set; ${message}`
      if (secretNames.includes(name)) return `${nameOf(name)} has an invalid value; ${message}`
      return `${nameOf(name)} is ${withoutPassword(String(value))}; ${message}`
    })
    const markFaults = marked.map(
      (name) => `${nameOf(name)} has a byte order mark (U+FEFF) before its name`,
    )
    throw new SettingsError(service, [...markFaults, ...faults])
  }
  return { settingSchemas, settingNames, readSettings }
}

/** Shorter names resemble the variables of other programs: `HOME`, `PGPORT`. */
const variableName = /^[A-Z][A-Z0-9_]{7,63}$/

/** The variables that resemble a setting, but are none, each with the setting. At most two letters differ. */
export const misspeltSettings = (
  environment: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly (readonly [variable: string, setting: string])[] =>
  Object.keys(environment)
    .filter((variable) => variableName.test(variable) && !names.includes(variable))
    .flatMap((variable) => {
      const setting = closestMatch(variable, names, { maxDistance: 2 })
      return setting === undefined ? [] : [[variable, setting] as const]
    })

/** A value in quotes, without the user and the password of a URL. */
function withoutPassword(value: string): string {
  return JSON.stringify(value.replace(/\/\/[^/@]*@/, '//***@'))
}
