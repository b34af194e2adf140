export { appManagementRows, initialRestrictions } from './app-management-forms.ts'
export { api, maxEntries, maxPermissions, optionalClaims } from './application/application-forms.ts'
export { federatedCredentialForms } from './application/federated-identity-credential.ts'
export { baseUrl, bodyCollection, dateTime, guid, name, text } from './properties/forms.ts'
