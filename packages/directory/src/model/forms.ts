export { api, maxEntries, maxPermissions, optionalClaims } from './application/application-forms.ts'
export { baseUrl, bodyCollection, dateTime, guid, name, text } from './properties/forms.ts'
