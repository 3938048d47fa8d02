import { hookline } from '../../../services/cli/commands/index.ts';

const send = 'send src_x --secret s';

test.each([
  ['sources lst', 'there is no command `hookline sources lst`'],
  ['sources list --nmae x', "Unknown option '--nmae'"],
  ['sources list --limit ten', '--limit must be a whole number'],
  ['sources show', '<id> is missing'],
  ['sources update src_x', 'nothing to change is given'],
  ['sources update src_x --reset name', '--reset name: a source has signature_header, '],
  ['sources create --hmac {', '--hmac is not JSON'],
  ['sources create --from-file /nowhere.json', 'no such file'],
  ['sources rotate-secret src_x --overlap-seconds 1.5', '--overlap-seconds must be a whole number'],
  ['setup now', 'what is `now`?'],
  ['reseal-secrets --dryrun', "Unknown option '--dryrun'"],
  ['send', '<source> is missing'],
  ['send src_x', '--secret must be given, once'],
  [`${send} --secret t`, '--secret must be given, once'],
  [`${send} --body x --body-file -`, 'exclude each other'],
  [`${send} --id x --count 2`, '--id is of one webhook'],
  [`${send} --count 0`, '--count must be'],
  [`${send} --body-file /nowhere`, 'there is no file /nowhere'],
  [`${send} --header nothing`, "--header must be 'Name: value'"],
  [`${send} --scheme none`, '--scheme must be one of'],
  [`${send} --scheme square`, '--url'],
])('`hookline %s` is a wrong call, and told why', async (call, message) => {
  await expect(hookline.run(call.split(' '))).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(message) as string,
  });
});
