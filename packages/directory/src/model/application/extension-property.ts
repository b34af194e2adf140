/**
 * A property that an application defines for other objects, called a directory extension. It is
 * only stored: no object has a value for it.
 *
 * @see https://learn.microsoft.com/graph/api/resources/extensionproperty
 */
export type ExtensionProperty = {
  /** A GUID in lower case. */
  readonly id: string
  /** `extension_{application ID without hyphens}_{chosen name}`, unique within the application. */
  readonly name: string
  readonly dataType: string
  readonly isMultiValued: boolean
  /** The types of the objects. */
  readonly targetObjects: readonly string[]
}
