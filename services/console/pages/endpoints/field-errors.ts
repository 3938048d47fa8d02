import type { ApiFailure } from '#client';
import type { TenantContext } from '../../page.ts';
import type { FieldError } from '../../api-calls/console-api.ts';

const whyUrl =
  'Events are sent over https to public addresses alone, so that nobody can reach the network behind Hookline.';
const howToAllow = 'An operator allows others with HOOKLINE_ALLOWED_NETWORKS and HOOKLINE_ALLOW_HTTP.';

/** The errors of a form, if the API refused it for them. For customers no operator's allowance counts. */
export function formErrors(
  failure: ApiFailure,
  { isCustomer }: Pick<TenantContext, 'isCustomer'>,
): readonly FieldError[] | undefined {
  if (failure.kind !== 'problem' || failure.status !== 400) return undefined;
  const { code, detail, errors = [] } = failure.problem;
  if (errors.length === 0) return [{ field: '', message: detail ?? 'The form is not valid' }];
  const why = isCustomer ? whyUrl : `${whyUrl} ${howToAllow}`;
  return code === 'url_not_allowed'
    ? errors.map(({ field, message }) => ({ field, message: `${message}. ${why}` }))
    : errors;
}
