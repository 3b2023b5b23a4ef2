/** Slips of the pen that have one likely meaning, by kind of leaf: what to match and what was likely meant. */
export const REPAIRS: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  flag: [
    [/^(yes|on)$/i, 'true'],
    [/^(no|off)$/i, 'false'],
  ],
  duration: [
    [/^([0-9.]+) *(ms|msecs?|millis|milliseconds?)$/i, '$1ms'],
    [/^([0-9.]+) *(s|secs?|seconds?)$/i, '$1s'],
    [/^([0-9.]+) *(m|mins?|minutes?)$/i, '$1m'],
    [/^([0-9.]+) *(h|hrs?|hours?)$/i, '$1h'],
  ],
  size: [
    [/^([0-9.]+) *ki?b?$/i, '$1KiB'],
    [/^([0-9.]+) *mi?b?$/i, '$1MiB'],
    [/^([0-9.]+) *gi?b?$/i, '$1GiB'],
    [/^([0-9.]+) *ti?b?$/i, '$1TiB'],
  ],
  address: [
    [/^[a-z]+:\/\/([^/]*)\/?$/i, '$1'],
    [/^[*]?:([0-9]+)$/, '0.0.0.0:$1'],
    [/^([0-9]+)$/, '127.0.0.1:$1'],
    [/^(.*:.*):([0-9]+)$/, '[$1]:$2'],
  ],
  url: [
    [/^([^/?#:]+(?::[0-9]+)?(?:\/[^?#]*)?)$/, 'http://$1'],
    [/^(https?):\/*([^?#]*)$/i, '$1://$2'],
  ],
  path: [[/^([^/].*)$/, '/$1']],
};
