import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formBoundary, readFormFacts } from '../../../src/wire/form-facts.ts';
import { NO_FACTS } from '../../../src/wire/request-facts.ts';

const NOTHING = NO_FACTS;

/** A field, or a file where it has a file name. */
interface Part {
  name: string;
  value: string;
  filename?: string;
}

/** A form as browsers, Node and the SDKs built on them write it. */
async function formOf(parts: readonly Part[]): Promise<{ body: Buffer; boundary: string }> {
  const form = new FormData();
  for (const { name, value, filename } of parts) {
    if (filename === undefined) form.append(name, value);
    else form.append(name, new Blob([value]), filename);
  }
  const request = new Request('http://test', { method: 'POST', body: form });
  const boundary = formBoundary(request.headers.get('content-type') ?? undefined);
  if (boundary === null) throw new Error('no boundary');
  return { body: Buffer.from(await request.arrayBuffer()), boundary };
}

const AUDIO: Part = { name: 'file', value: `RIFF\r\n--\r\n\r\nmodel${'x'.repeat(5_000)}`, filename: 'a.wav' };

describe('a form', () => {
  it('says model and stream, wherever they stand', async () => {
    for (const parts of [
      [{ name: 'model', value: 'whisper-1' }, { name: 'stream', value: 'true' }, AUDIO],
      [
        AUDIO,
        { name: 'stream', value: 'true' },
        { name: 'language', value: 'de' },
        { name: 'model', value: 'whisper-1' },
      ],
    ]) {
      const { body, boundary } = await formOf(parts);
      expect(readFormFacts(body, boundary)).toEqual({ ...NOTHING, model: 'whisper-1', stream: true });
    }
  });

  it.each([
    ['true', true],
    ['True', true],
    ['1', true],
    ['false', false],
    ['0', false],
    ['', null],
    ['yes, please', null],
  ])('stream=%s', async (value, stream) => {
    const { body, boundary } = await formOf([{ name: 'stream', value }]);
    expect(readFormFacts(body, boundary).stream).toBe(stream);
  });

  it('a file is no field, whatever it is called', async () => {
    const { body, boundary } = await formOf([
      { name: 'model', value: 'no', filename: 'model' },
      { name: 'file', value: 'no', filename: 'x; name=model' },
    ]);
    expect(readFormFacts(body, boundary)).toEqual(NOTHING);
  });

  it('the last of two fields of one name wins, and an empty one says nothing', async () => {
    const twice = await formOf([
      { name: 'model', value: 'a' },
      { name: 'model', value: 'b' },
    ]);
    expect(readFormFacts(twice.body, twice.boundary).model).toBe('b');
    const empty = await formOf([
      { name: 'model', value: 'a' },
      { name: 'model', value: '' },
    ]);
    expect(readFormFacts(empty.body, empty.boundary).model).toBeNull();
  });

  it('a value too long to be a name is not read', async () => {
    const { body, boundary } = await formOf([
      { name: 'model', value: 'm'.repeat(100_000) },
      { name: 'stream', value: '1' },
    ]);
    expect(readFormFacts(body, boundary)).toEqual({ ...NOTHING, stream: true });
  });

  it.each([
    [
      'a preamble and white space',
      'Ignore me.\r\n--b \t\r\ncontent-disposition: form-data; name=model\r\n\r\nm\r\n--b--',
    ],
    [
      'other heads',
      '--b\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--b--\r\n',
    ],
    [
      'a boundary that is the beginning of another',
      '--b\r\ncontent-disposition: form-data; name=f\r\n\r\n--b\r\n--bc\r\n--b\r\ncontent-disposition: form-data; name=model\r\n\r\nm\r\n--b--',
    ],
    ['an empty part', '--b\r\n\r\n\r\n--b\r\ncontent-disposition: form-data; name=model\r\n\r\nm\r\n--b--'],
    [
      'an empty value without its line end',
      '--b\r\nx: y\r\n\r\n--b\r\ncontent-disposition: form-data; name=model\r\n\r\nm\r\n--b--',
    ],
  ])('with %s', (_what, body) => {
    expect(readFormFacts(Buffer.from(body), 'b').model).toBe('m');
  });

  it('is over at its closing boundary', () => {
    const body = '--b--\r\n--b\r\ncontent-disposition: form-data; name=model\r\n\r\nm\r\n--b--';
    expect(readFormFacts(Buffer.from(body), 'b')).toEqual(NOTHING);
  });
});

describe('a form, by its laws', () => {
  const name = fc.constantFrom('model', 'stream', 'file', 'prompt', 'mod"el', 'größe');
  const value = fc.oneof(fc.constantFrom('true', 'whisper-1', '', '--', '\r\n--'), fc.string({ maxLength: 40 }));
  const part = fc.record<Part, 'name' | 'value'>(
    { name, value, filename: fc.constantFrom('a.wav', 'model') },
    { requiredKeys: ['name', 'value'] },
  );
  const parts = fc.array(part, { maxLength: 8 });

  it('what it says is what a server reads', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (list) => {
        const { body, boundary } = await formOf(list);
        const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
        const read = await new Response(body, { headers }).formData();
        const fields = read.getAll('model').filter((field) => typeof field === 'string');
        expect(readFormFacts(body, boundary).model).toBe(fields.at(-1) || null);
      }),
    );
  });

  it('of a cut one it says what stands whole in it', async () => {
    const { body, boundary } = await formOf([{ name: 'model', value: 'm' }, AUDIO, { name: 'stream', value: 'true' }]);
    const whole = body.indexOf('\r\nm\r\n') + `\r\nm\r\n--${boundary}\r`.length;
    for (let end = 0; end <= body.length; end += 1) {
      const { model, stream } = readFormFacts(body.subarray(0, end), boundary);
      expect(model).toBe(end < whole ? null : 'm');
      if (end < body.length - boundary.length) expect(stream).toBeNull();
    }
  });

  it('junk says nothing and breaks nothing', async () => {
    const { body, boundary } = await formOf([{ name: 'model', value: 'm' }, AUDIO]);
    const places = fc.array(fc.tuple(fc.nat(body.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 12 });
    fc.assert(
      fc.property(places, fc.uint8Array({ maxLength: 300 }), fc.string({ maxLength: 3 }), (changes, junk, mark) => {
        const damaged = Buffer.from(body);
        for (const [at, byte] of changes) damaged[at] = byte;
        for (const [bytes, by] of [
          [damaged, boundary],
          [junk, boundary],
          [junk, mark],
          [junk, ''],
        ] as const) {
          const { model } = readFormFacts(bytes, by);
          expect(model === null || model.length <= 1024).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['boundaries alone', '\r\n--b\r\n'],
    ['almost boundaries', '\r\n--ba'],
    ['heads without end', '\r\n--b\r\ncontent-disposition: form-data; name='],
    ['empty parts', '\r\n--b\r\n\r\n'],
  ])('a megabyte of %s is read in one go', (_what, piece) => {
    const body = Buffer.from(piece.repeat(2 ** 20 / piece.length));
    expect(readFormFacts(body, 'b').model).toBeNull();
  });
});

describe('a content type', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data; charset=utf-8; Boundary="a b;c"', 'a b;c'],
    ['multipart/form-data;boundary=----WebKitFormBoundary7MA4YWxk', '----WebKitFormBoundary7MA4YWxk'],
    ['multipart/form-data; boundary=', null],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, null],
    ['multipart/form-data', null],
    ['multipart/mixed; boundary=abc', null],
    ['application/json', null],
    [undefined, null],
  ])('%s', (contentType, boundary) => {
    expect(formBoundary(contentType)).toBe(boundary);
  });

  it('never breaks', () => {
    fc.assert(fc.property(fc.string(), (junk) => void formBoundary(`multipart/form-data;${junk}`)));
  });
});
