import { expect, it } from '@jest/globals';
import { buildXmp } from './build-xmp.js';

it('writes the tags of every image, and leaves out those that are not XMP', () => {
  const tags = [
    { tag: 'IPTC:Source', values: ['Harbour'], metaTitle: null },
    { tag: 'XMP-photoshop:Source', values: ['Harbour & "Söhne" <1>'], metaTitle: null },
    { tag: 'XMP-xmp:CreatorTool', values: ['Media'], metaTitle: null },
  ];
  expect(buildXmp(tags)).toContain(
    '<rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:Source="Harbour &amp; &quot;Söhne&quot; &lt;1&gt;"' +
      ' xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="Media"/>',
  );
});
