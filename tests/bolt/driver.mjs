// What a JavaScript program does with the official driver (5 and 6): each check prints nothing, a wrong one its name and both values.
import neo4j from 'neo4j-driver';

const uri = process.argv[2];
let checks = 0, failures = 0;
const show = (v) => JSON.stringify(v, (_, x) => (typeof x === 'bigint' ? `${x}n` : x));

function check(name, found, expected) {
  checks++;
  if (show(found) === show(expected)) return;
  failures++;
  console.log(`${name}: found ${show(found)?.slice(0, 200)}, expected ${show(expected)?.slice(0, 200)}`);
}
async function refused(name, code, call) {
  try {
    await call();
    check(name, 'no error', code);
  } catch (error) {
    check(name, error.code, code);
  }
}

async function values(driver) {
  const one = async (v) => (await driver.executeQuery('RETURN $v AS v', { v })).records[0].get('v');
  const integers = [neo4j.int('9007199254740993'), neo4j.int('9223372036854775807'), neo4j.int('-9223372036854775808'), neo4j.int(-17)];
  for (const v of [null, true, 0.5, 'ä€🚀', 'x'.repeat(70000), [1.5, 'a', null], { a: 1.5, b: ['x'] }, ...integers,
    new neo4j.types.Date(neo4j.int(2020), neo4j.int(2), neo4j.int(29)), new neo4j.types.LocalTime(neo4j.int(1), neo4j.int(2), neo4j.int(3), neo4j.int(4)),
    new neo4j.types.LocalDateTime(...[2020, 1, 1, 1, 2, 3, 4].map((n) => neo4j.int(n))), new neo4j.types.DateTime(...[2020, 7, 1, 12, 0, 0, 5, 19800].map((n) => neo4j.int(n))),
    new neo4j.types.Duration(...[1, -2, 3, 5].map((n) => neo4j.int(n))), new neo4j.types.Point(neo4j.int(4326), 1.5, 2.5), new neo4j.types.Point(neo4j.int(9157), 1.5, 2.5, 3.5)]) {
    check(`value ${show(v)?.slice(0, 40)}`, await one(v), v);
  }
  check('bytes', [...(await one(new Int8Array([0, -1, 127])))], [0, -1, 127]);
  const zoned = (await driver.executeQuery("RETURN datetime('2020-07-01T12:00[Europe/Stockholm]') AS v")).records[0].get('v');
  check('zone', [zoned.hour.toNumber(), zoned.timeZoneId], [12, 'Europe/Stockholm']);
  check('LIMIT of a float', (await driver.executeQuery('UNWIND [1, 2, 3] AS x RETURN x LIMIT toInteger($n)', { n: 2 })).records.length, 2);
}

async function graph(driver) {
  const record = (await driver.executeQuery("CREATE p = (a:Person:Agent {name: 'Ann'})-[k:KNOWS {since: 1999}]->(b:Person {name: 'Bob'})<-[:KNOWS]-(a) RETURN a, k, p")).records[0];
  const [a, k, p] = ['a', 'k', 'p'].map((n) => record.get(n));
  check('node', [[...a.labels].sort(), a.properties], [['Agent', 'Person'], { name: 'Ann' }]);
  check('relationship', [k.type, k.properties.since.toNumber(), k.startNodeElementId === a.elementId], ['KNOWS', 1999, true]);
  check('path', p.segments.map((s) => [s.start.properties.name, s.relationship.type, s.end.properties.name]), [['Ann', 'KNOWS', 'Bob'], ['Bob', 'KNOWS', 'Ann']]);
  const { summary } = await driver.executeQuery('CREATE (:T {x: 1, y: 2})');
  check('counters', [summary.counters.updates().nodesCreated, summary.counters.updates().propertiesSet, summary.queryType], [1, 2, 'w']);
  check('plan', (await driver.executeQuery('EXPLAIN MATCH (n:T) RETURN n')).summary.plan.operatorType, 'ProduceResults');
  check('profile', (await driver.executeQuery('PROFILE MATCH (n:T) RETURN n')).summary.profile.rows, 1);
}

async function transactions(driver) {
  const session = driver.session({ database: 'neo4j' });
  const tx = await session.beginTransaction({ timeout: 30000, metadata: { app: 'test' } });
  const a = tx.run('UNWIND range(1, 3000) AS x RETURN x'), b = tx.run('UNWIND range(1, 2000) AS y RETURN y');
  check('two results', [(await a).records.length, (await b).records.length], [3000, 2000]);
  await tx.run('CREATE (:Committed)');
  await tx.commit();
  check('bookmark', session.lastBookmarks().length, 1);
  const lost = await session.beginTransaction();
  await lost.run('CREATE (:Lost)');
  await lost.rollback();
  check('committed', (await session.run('MATCH (n:Committed|Lost) RETURN collect(labels(n)[0]) AS l')).records[0].get('l'), ['Committed']);
  check('managed', await session.executeWrite(async (t) => (await t.run('MERGE (c:Count) SET c.n = 1 RETURN c.n AS n')).records[0].get('n').toNumber()), 1);
  await session.close();
  const add = async () => {
    const s = driver.session();
    for (let i = 0; i < 10; i++) await s.executeWrite((t) => t.run('MATCH (c:Count) SET c.n = c.n + 1'));
    await s.close();
  };
  await Promise.all([add(), add(), add()]);
  check('writers', (await driver.executeQuery('MATCH (c:Count) RETURN c.n AS n')).records[0].get('n').toNumber(), 31);
}

async function errors(driver) {
  await refused('syntax', 'Neo.ClientError.Statement.SyntaxError', () => driver.executeQuery('RETURN foo'));
  await refused('parameter', 'Neo.ClientError.Statement.ParameterMissing', () => driver.executeQuery('RETURN $x'));
  await refused('procedure', 'Neo.ClientError.Procedure.ProcedureNotFound', () => driver.executeQuery('CALL no.such()'));
  await refused('database', 'Neo.ClientError.Database.DatabaseNotFound', () => driver.executeQuery('RETURN 1', {}, { database: 'other' }));
  await driver.executeQuery('CREATE CONSTRAINT one IF NOT EXISTS FOR (n:One) REQUIRE n.id IS UNIQUE');
  await driver.executeQuery('CREATE (:One {id: 1})');
  await refused('unique', 'Neo.ClientError.Schema.ConstraintValidationFailed', () => driver.executeQuery('CREATE (:One {id: 1})'));
  const session = driver.session();
  await refused('timeout', 'Neo.ClientError.Transaction.TransactionTimedOut', () => session.run('UNWIND range(1, 10000000000) AS x RETURN sum(x)', {}, { timeout: 300 }));
  await session.close();
  const reader = driver.session({ defaultAccessMode: neo4j.session.READ });
  await refused('read mode', 'Neo.ClientError.Statement.AccessMode', () => reader.run('CREATE (:T)'));
  await reader.close();
  check('goes on', (await driver.executeQuery('RETURN 1 AS x')).records[0].get('x').toNumber(), 1);
}

async function stream(driver) {
  const session = driver.session({ fetchSize: 500 });
  let rows = 0;
  for await (const _ of session.run('UNWIND range(1, 50000) AS x RETURN x, toString(x) AS t')) rows++;
  check('50,000 rows', rows, 50000);
  const early = session.run('UNWIND range(1, 100000000) AS x RETURN x');
  for await (const _ of early) break;
  await session.close();
}

async function routing() {
  const driver = neo4j.driver(uri.replace('bolt', 'neo4j'), neo4j.auth.basic('neo4j', 'any'));
  const info = await driver.getServerInfo();
  check('server', info.agent.slice(0, 8), 'Neo4j/5.');
  check('routed read', (await driver.executeQuery('RETURN 1 AS x', {}, { routing: neo4j.routing.READ })).records.length, 1);
  check('routed write', (await driver.executeQuery('CREATE (n:Routed) RETURN n')).records.length, 1);
  await driver.close();
}

const driver = neo4j.driver(uri, neo4j.auth.basic('neo4j', 'any'));
await driver.verifyConnectivity();
for (const part of [values, graph, transactions, errors, stream]) await part(driver);
await driver.close();
await routing();
console.log(`neo4j-driver: ${checks - failures} of ${checks} checks`);
process.exit(failures ? 1 : 0);
