import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { embeddingConfig } from '@lectern/embedding';
import { ingestionConfig } from '@lectern/ingestion';
import { gatewayConfig } from '@lectern/mcp-gateway';
import { retrievalConfig } from '@lectern/retrieval';
import { parse, parseAllDocuments } from 'yaml';

// No container engine runs where these files are tested, so they are held against what they refer to.
const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const schemas = {
  'mcp-gateway': gatewayConfig,
  retrieval: retrievalConfig,
  ingestion: ingestionConfig,
  embedding: embeddingConfig,
};
const services = Object.keys(schemas) as (keyof typeof schemas)[];
/** Read by the process before any schema: tracing is registered first. */
const processSettings = new Set(['OTEL_EXPORTER_OTLP_ENDPOINT', 'NODE_ENV', 'SERVICE', 'OTEL_SERVICE_NAME']);

interface ComposeService {
  environment?: Record<string, string>;
  command?: string[];
  ports?: string[];
  build?: { args: { SERVICE: string } };
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, ComposeService> };

describe('docker-compose.yml', () => {
  it.each(services)('gives %s settings that it knows, and all that it requires', (service) => {
    const environment = compose.services[service]?.environment ?? {};
    const known = Object.keys(schemas[service].shape);
    expect(Object.keys(environment).filter((name) => !known.includes(name) && !processSettings.has(name))).toEqual([]);
    const values = Object.entries(environment).map(([name, value]) => [name, resolve(String(value))]);
    const result = schemas[service].safeParse(Object.fromEntries(values.filter(([, value]) => value)));
    expect(result.error?.issues ?? []).toEqual([]);
  });

  it('builds each service under its own name', () => {
    for (const service of services) expect(compose.services[service]?.build?.args.SERVICE).toBe(service);
  });

  it('publishes the port on which the gateway listens', () => {
    const gateway = compose.services['mcp-gateway'];
    expect(gateway?.ports).toEqual([`127.0.0.1:8080:${gateway?.environment?.PORT}`]);
  });

  it('keeps every key of the job queue', () => {
    expect(compose.services.redis?.command).toEqual(expect.arrayContaining(['--maxmemory-policy', 'noeviction']));
  });
});

describe('the Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');

  it('copies only what is there', () => {
    const sources = lines
      .filter((line) => line.startsWith('COPY') && !line.includes('--from='))
      .flatMap((line) => line.split(/\s+/).slice(1, -1))
      .filter((word) => !word.startsWith('--'));
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
  });

  it('runs as nobody special, on Node 24, and checks its health', () => {
    expect(lines[2]).toMatch(/node:24/);
    expect(lines).toContain('USER node');
    expect(read('Dockerfile')).toMatch(/HEALTHCHECK[\s\S]*\/livez/);
  });
});

describe('deploy/k8s/base', () => {
  const base = 'deploy/k8s/base';
  const resources = (parse(read(`${base}/kustomization.yaml`)) as { resources: string[] }).resources;

  it('lists every file, and each parses', () => {
    const files = readdirSync(join(root, base), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
      .map((name) => name.replaceAll('\\', '/'));
    expect(files.toSorted()).toEqual(resources.toSorted());
    for (const file of files) {
      for (const document of parseAllDocuments(read(`${base}/${file}`))) expect(document.errors).toEqual([]);
    }
  });

  it.each(services)('probes and sets %s as it is', (service) => {
    const deployment = parse(read(`${base}/${service}/deployment.yaml`)) as Deployment;
    const [container] = deployment.spec.template.spec.containers;
    // The gateway has these routes on its only port.
    const [port, containerPort] = service === 'mcp-gateway' ? ['http', 8080] : ['health', 9464];
    expect(container?.readinessProbe.httpGet).toEqual({ path: '/readyz', port });
    expect(container?.livenessProbe.httpGet).toEqual({ path: '/livez', port });
    expect(container?.ports).toEqual([{ name: port, containerPort }]);
    const known = Object.keys(schemas[service].shape);
    for (const { name } of container?.env ?? []) expect(known).toContain(name);
    expect(deployment.spec.template.spec.securityContext.runAsNonRoot).toBe(true);
  });

  it('configures nothing that no service knows', () => {
    const known = new Set(services.flatMap((service) => Object.keys(schemas[service].shape)));
    const { data } = parse(read(`${base}/config.yaml`)) as { data: Record<string, string> };
    expect(Object.keys(data).filter((name) => !known.has(name))).toEqual([]);
  });
});

interface Deployment {
  spec: {
    template: {
      spec: {
        securityContext: { runAsNonRoot: boolean };
        containers: {
          env?: { name: string }[];
          ports: object[];
          readinessProbe: { httpGet: object };
          livenessProbe: { httpGet: object };
        }[];
      };
    };
  };
}

/** `${NAME:-default}` as compose reads it without an environment. */
function resolve(value: string): string {
  return value.replaceAll(/\$\{\w+(?::-([^}]*))?\}/g, (_match, fallback: string | undefined) => fallback ?? '');
}
