import classNames from '../../placement/data/standard-classes.json' with { type: 'json' }
import traitNames from '../../placement/data/standard-traits.json' with { type: 'json' }

/** Namespaces with a key for every standard resource class or trait, from Placement's lists. */

const defineProperties = (names: readonly string[], property: (name: string) => object): object =>
  Object.fromEntries(names.map(name => [name, { title: name, ...property(name) }]))

export const resources = {
  namespace: 'Berth::Flavor::Resources',
  display_name: 'Resources from Placement',
  description:
    'How much of each resource class a flavor asks Placement for, instead of the amount that its size implies; 0 asks for ' +
    'none. A suffix before the colon, as in resources1:VGPU, makes a group with the traits of the same suffix. Custom ' +
    'classes, CUSTOM_ and a name, need no definition. Read when the flavor is translated to a Placement query.',
  visibility: 'public',
  protected: false,
  resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'resources:' }],
  properties: defineProperties(classNames, name => ({
    description: `How much of ${name} to ask for.`,
    type: 'integer',
    minimum: 0,
  })),
}

export const traits = {
  namespace: 'Berth::Flavor::Traits',
  display_name: 'Traits, required, forbidden, preferred or avoided',
  description:
    'Traits that the provider of the resources must have, or must not have; preferred and avoided ones only rank ' +
    'hosts, which Berth knows and Nova does not. A suffix before the colon, as in ' +
    'trait1:CUSTOM_GPU, binds the trait to the resources of the same suffix. Custom traits need no definition. Read ' +
    'where the flavor becomes a query to Placement.',
  visibility: 'public',
  protected: false,
  resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'trait:' }],
  properties: defineProperties(traitNames, name => ({
    description: `Whether ${name} must be there, must not, or better should or should not.`,
    type: 'string',
    enum: ['required', 'forbidden', 'preferred', 'avoided'],
  })),
}

export const imageTraits = {
  namespace: 'Berth::Image::Traits',
  display_name: 'Traits, required, preferred or avoided',
  description:
    'Traits that a host must have; preferred and avoided ones only rank hosts, which Berth knows and Nova does not. ' +
    'Custom traits need no definition. Read where a request becomes a query to Placement.',
  visibility: 'public',
  protected: false,
  resource_type_associations: [
    { name: 'OS::Glance::Image', prefix: 'trait:' },
    { name: 'OS::Cinder::Volume', prefix: 'trait:', properties_target: 'image' },
  ],
  properties: defineProperties(traitNames, name => ({
    description: `Whether ${name} is required, preferred or avoided.`,
    type: 'string',
    enum: ['required', 'preferred', 'avoided'],
  })),
}

export const aggregateTraits = {
  namespace: 'Berth::Aggregate::Traits',
  display_name: 'Traits, required',
  description:
    'Traits that keep out servers that do not ask for them: the hosts of the aggregate are only for flavors and images ' +
    'that require every one. Custom traits need no definition. Read where a request becomes a query to Placement.',
  visibility: 'public',
  protected: false,
  resource_type_associations: [{ name: 'OS::Nova::Aggregate', prefix: 'trait:' }],
  properties: defineProperties(traitNames, name => ({
    description: `${name} is required.`,
    type: 'string',
    enum: ['required'],
  })),
}
