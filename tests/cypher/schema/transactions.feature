Feature: SHOW TRANSACTIONS and TERMINATE TRANSACTIONS

  Scenario: the transaction that asks is one of them
    Given any graph
    When executing query:
      """
      SHOW TRANSACTIONS YIELD database, status, currentQuery AS q, username, outerTransactionId AS outer
      RETURN database, status, left(q, 17) AS q, username, outer
      """
    Then the result should be, in any order:
      | database | status    | q                   | username | outer |
      | 'neo4j'  | 'Running' | 'SHOW TRANSACTIONS' | ''       | ''    |

  Scenario: the columns without YIELD
    Given any graph
    When executing query:
      """
      SHOW TRANSACTIONS WHERE false
      """
    Then the result should be, in any order:
      | database | transactionId | currentQueryId | connectionId | clientAddress | username | currentQuery | startTime | status | elapsedTime |

  Scenario: kinds of values, and what nothing counts is null
    Given any graph
    When executing query:
      """
      SHOW TRANSACTION YIELD * RETURN transactionId =~ 'neo4j-transaction-[0-9]+' AS id, startTime =~ '20.*' AS start, elapsedTime IS :: DURATION NOT NULL AS e,
        currentQueryElapsedTime IS :: DURATION NOT NULL AS q, parameters, cpuTime, pageHits, activeLockCount, protocol
      """
    Then the result should be, in any order:
      | id   | start | e    | q    | parameters | cpuTime | pageHits | activeLockCount | protocol   |
      | true | true  | true | true | {}         | null    | null     | 0               | 'embedded' |

  Scenario Outline: <ids>
    Given any graph
    And parameters are:
      | one  | 'neo4j-transaction-999999'                               |
      | many | ['neo4j-transaction-999999', 'neo4j-transaction-888888'] |
      | none | null                                                     |
      | wrong | 5                                                       |
    When executing query:
      """
      SHOW TRANSACTIONS <ids> YIELD transactionId RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |
    When executing query:
      """
      TERMINATE TRANSACTIONS <ids> YIELD transactionId AS id, username, message RETURN collect(id) AS ids, collect(DISTINCT message) AS m, collect(username) AS u
      """
    Then the result should be, in any order:
      | ids     | m     | u  |
      | <found> | <message> | [] |

    Examples:
      | ids                                                    | found                                                    | message                    |
      | 'neo4j-transaction-999999'                             | ['neo4j-transaction-999999']                             | ['Transaction not found.'] |
      | 'neo4j-transaction-999999', 'neo4j-transaction-888888' | ['neo4j-transaction-999999', 'neo4j-transaction-888888'] | ['Transaction not found.'] |
      | ['neo4j-transaction-999999', 'x-transaction-1']        | ['neo4j-transaction-999999', 'x-transaction-1']          | ['Transaction not found.'] |
      | $one                                                   | ['neo4j-transaction-999999']                             | ['Transaction not found.'] |
      | $many, 'neo4j-transaction-7777777'                     | ['neo4j-transaction-999999', 'neo4j-transaction-888888', 'neo4j-transaction-7777777'] | ['Transaction not found.'] |
      | [$one]                                                 | ['neo4j-transaction-999999']                             | ['Transaction not found.'] |
      | []                                                     | []                                                       | []                         |
      | $none                                                  | []                                                       | []                         |

  Scenario: TERMINATE without YIELD, and with an expression
    Given any graph
    When executing query:
      """
      TERMINATE TRANSACTION 'neo4j-' + 'transaction-999999'
      """
    Then the result should be, in any order:
      | transactionId              | username | message                  |
      | 'neo4j-transaction-999999' | null     | 'Transaction not found.' |

  Scenario Outline: ids that are none: <ids>
    Given any graph
    And parameters are:
      | wrong | 5 |
    When executing query:
      """
      <command> <ids>
      """
    Then a <error> should be raised at <phase>: <detail>

    Examples:
      | command                | ids       | error         | phase        | detail               |
      | TERMINATE TRANSACTIONS | 'nonsense' | ArgumentError | runtime     | InvalidArgumentValue |
      | TERMINATE TRANSACTIONS | ''        | ArgumentError | runtime      | InvalidArgumentValue |
      | TERMINATE TRANSACTIONS | 'neo4j-transaction-' | ArgumentError | runtime | InvalidArgumentValue |
      | TERMINATE TRANSACTIONS | 'neo4j-transaction-1x' | ArgumentError | runtime | InvalidArgumentValue |
      | TERMINATE TRANSACTIONS | 5         | SyntaxError   | compile time | InvalidArgumentType  |
      | TERMINATE TRANSACTIONS | $wrong    | TypeError     | runtime      | InvalidArgumentType  |
      | SHOW TRANSACTIONS      | $wrong    | TypeError     | runtime      | InvalidArgumentType  |
      | SHOW TRANSACTIONS      | 'x'       | ArgumentError | runtime      | InvalidArgumentValue |
      | SHOW INDEXES           | 'x'       | SyntaxError   | compile time | UnexpectedSyntax     |
      | TERMINATE TRANSACTIONS |           | SyntaxError   | compile time | *                    |
      | TERMINATE TRANSACTIONS | x         | SyntaxError   | compile time | UndefinedVariable    |

  Scenario: SHOW and TERMINATE joined, with ORDER BY, aggregation and a second SHOW
    Given any graph
    When executing query:
      """
      SHOW TRANSACTIONS YIELD transactionId AS id, username AS u WHERE u = 'nobody'
      TERMINATE TRANSACTIONS id YIELD message
      RETURN count(message) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |
    When executing query:
      """
      SHOW TRANSACTIONS YIELD transactionId AS id, currentQuery AS q ORDER BY id LIMIT 5
      SHOW TRANSACTIONS id YIELD status
      RETURN left(q, 4) AS q, status, count(*) AS n
      """
    Then the result should be, in any order:
      | q      | status    | n |
      | 'SHOW' | 'Running' | 1 |

  Scenario: joined commands need their YIELDs, and names of their own
    Given any graph
    When executing query:
      """
      SHOW TRANSACTIONS TERMINATE TRANSACTIONS 'neo4j-transaction-1'
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax
    When executing query:
      """
      SHOW TRANSACTIONS YIELD transactionId AS id TERMINATE TRANSACTIONS id YIELD transactionId AS id RETURN id
      """
    Then a SyntaxError should be raised at compile time: VariableAlreadyBound
    When executing query:
      """
      SHOW TRANSACTIONS YIELD * TERMINATE TRANSACTIONS transactionId YIELD * RETURN message
      """
    Then a SyntaxError should be raised at compile time: VariableAlreadyBound
