/** The six acts of a registration, in their order: what must be done before what. */
export const registrationSteps = [
  'API registration',
  'Application roles',
  'Client registration',
  'Permissions',
  'Admin consent',
  'Client secret',
] as const

/** One of the six acts that a system is registered by. */
export type RegistrationStep = (typeof registrationSteps)[number]
