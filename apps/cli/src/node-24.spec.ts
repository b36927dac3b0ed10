import { describe, expect, it } from '@jest/globals';
import { otherNode } from './node-24.js';

describe('the Node that the command runs on', () => {
  it('is the running one when it is new enough', () => {
    expect(['24.0.0', '26.1.0'].map((version) => otherNode(version, String))).toEqual([undefined, undefined]);
  });

  it('is the one that the project brings when the running one is too old', () => {
    const found = ['20.20.2', '22.9.0'].map((version) => otherNode(version, (file) => `/modules/${file}`));
    expect(found).toEqual([0, 1].map(() => expect.stringMatching(/^\/modules\/node-\w+-\w+\/bin\/node(\.exe)?$/)));
  });

  it('is said to be missing where the project brings none', () => {
    const none = (): string => {
      throw new Error('Cannot find module');
    };
    expect(() => otherNode('20.20.2', none)).toThrow(/needs Node 24, this is Node 20\.20\.2.*install Node 24/);
  });
});
