// The grammar of Fornix's Cypher: openCypher, with the subqueries, SEARCH, label expressions and schema commands of
// Cypher 25. Only a parser is generated from it: tokens come from grammar/lexer.cc, which finds the type of each keyword
// and sign by its literal below, whatever its case. So a word that is quoted here is a keyword, and no list repeats it.
//
// Three things keep prediction at one or two tokens, which is what makes a first parse fast:
// - expressions are one left-recursive rule, strongest operator first (a chain of a dozen rules is ten times slower, and
//   a thousand times on nested parentheses);
// - grammar/shapes.cc looks ahead over balanced brackets and gives a parenthesis that begins a pattern, and a bracket
//   that begins a comprehension, tokens of their own (PATTERN_OPEN, COMPREHENSION_OPEN, PATTERN_COMPREHENSION_OPEN);
//   the bar of a comprehension is BAR, the bar between labels is '|';
// - a long list of constants arrives as one token (CONSTANT_LIST).
grammar Cypher;

tokens {
  IDENTIFIER, STRING, INTEGER, FLOAT, PARAMETER, CONSTANT_LIST,
  PATTERN_OPEN, COMPREHENSION_OPEN, PATTERN_COMPREHENSION_OPEN, BAR
}

statement : prefix* ( query | command ) ';'? EOF ;

prefix
  : 'EXPLAIN'                                                  # Explain
  | 'PROFILE'                                                  # Profile
  | 'CYPHER' version=INTEGER? ( name '=' name )*               # Version
  ;

// ------------------------------------------------------------------------------------------------------------ clauses
query : singleQuery ( joinWord singleQuery )* ;
joinWord : 'UNION' quantity=( 'ALL' | 'DISTINCT' )? | next='NEXT' ;
singleQuery : clause+ ;

clause
  : matchClause
  | unwindClause
  | withClause
  | returnClause
  | filterClause
  | letClause
  | createClause
  | mergeClause
  | setClause
  | removeClause
  | deleteClause
  | foreachClause
  | callSubquery
  | callProcedure
  | loadCsv
  | 'FINISH'
  ;

matchClause : 'OPTIONAL'? 'MATCH' pattern ( hint | whereClause | searchClause )* ;
whereClause : 'WHERE' expr ;
searchClause
  : 'SEARCH' variable 'IN' '(' kind=( 'VECTOR' | 'FULLTEXT' ) 'INDEX' name 'FOR' expr whereClause? 'LIMIT' limitOf=expr ')'
    ( 'SCORE' 'AS' score=name )?
  ;
hint
  : 'USING' ( 'RANGE' | 'TEXT' | 'POINT' )? 'INDEX' 'SEEK'? variable ':' name '(' name ( ',' name )* ')'
  | 'USING' 'SCAN' variable ':' name
  | 'USING' 'JOIN' 'ON' variable ( ',' variable )*
  ;

unwindClause : 'UNWIND' expr 'AS' name ;
withClause : 'WITH' projection whereClause? ;
returnClause : 'RETURN' projection ;
filterClause : 'FILTER' 'WHERE'? expr ;
letClause : 'LET' letItem ( ',' letItem )* ;
letItem : variable '=' expr ;
projection : 'DISTINCT'? ( star='*' ( ',' projectionItem )* | projectionItem ( ',' projectionItem )* ) projectionTail ;
projectionItem : expr ( 'AS' name )? ;
projectionTail : ( 'ORDER' 'BY' sortItem ( ',' sortItem )* )? ( ( 'SKIP' | 'OFFSET' ) skip=expr )? ( 'LIMIT' limitOf=expr )? ;
sortItem : expr direction=( 'ASC' | 'ASCENDING' | 'DESC' | 'DESCENDING' )? ;

createClause : ( 'CREATE' | 'INSERT' ) pattern ;
mergeClause : 'MERGE' patternPart mergeAction* ;
mergeAction : 'ON' on=( 'CREATE' | 'MATCH' ) setClause ;
setClause : 'SET' setItem ( ',' setItem )* ;
setItem
  : propertyTarget '=' expr                                    # SetProperty
  | variable '=' expr                                          # SetReplace
  | variable '+=' expr                                         # SetMerge
  | variable labels                                            # SetLabels
  ;
removeClause : 'REMOVE' removeItem ( ',' removeItem )* ;
removeItem
  : propertyTarget                                             # RemoveProperty
  | variable labels                                            # RemoveLabels
  ;
propertyTarget : ( variable | '(' expr ')' | functionCall ) propertyStep+ ;
propertyStep : '.' name | '[' expr ']' ;
deleteClause : ( detach='DETACH' | 'NODETACH' )? 'DELETE' expr ( ',' expr )* ;
foreachClause : 'FOREACH' '(' variable 'IN' expr BAR clause+ ')' ;

callProcedure
  : 'OPTIONAL'? 'CALL' dottedName ( parenthesis='(' ( expr ( ',' expr )* )? ')' )? ( 'YIELD' yieldItems whereClause? )?
  ;
yieldItems : star='*' | yieldItem ( ',' yieldItem )* ;
yieldItem : name ( 'AS' name )? ;
callSubquery : 'OPTIONAL'? 'CALL' scope? '{' query '}' inTransactions? ;
scope : '(' ( star='*' | name ( ',' name )* )? ')' ;
inTransactions
  : 'IN' ( expr? concurrent='CONCURRENT' )? 'TRANSACTIONS' transactionOption*
  ;
transactionOption
  : 'OF' expr ( 'ROW' | 'ROWS' )                               # BatchRows
  | 'ON' 'ERROR' onError                                       # ErrorHandling
  | 'REPORT' 'STATUS' 'AS' name                                # ReportStatus
  ;
// RETRY and SECONDS are read by the builder, so that they stay names.
onError
  : action=( 'CONTINUE' | 'BREAK' | 'FAIL' )
  | word=IDENTIFIER ( 'FOR'? expr unit=IDENTIFIER )? ( 'THEN' action=( 'CONTINUE' | 'BREAK' | 'FAIL' ) )?
  ;
loadCsv
  : 'LOAD' 'CSV' ( 'WITH' 'HEADERS' )? 'FROM' expr 'AS' name ( 'FIELDTERMINATOR' STRING )?
  ;

// ----------------------------------------------------------------------------------------------------------- patterns
pattern : patternPart ( ',' patternPart )* ;
patternPart : ( name '=' )? ( selector? patternElement | shortestPath ) ;
// SHORTEST 1, ANY SHORTEST, ALL SHORTEST, ANY, ALL, SHORTEST 2 PATH GROUPS: the words are read by the builder, so that they stay names.
selector : ( IDENTIFIER | INTEGER | 'ANY' | 'ALL' )+ ;
shortestPath : kind=( 'SHORTESTPATH' | 'ALLSHORTESTPATHS' ) '(' patternElement ')' ;
patternElement : patternFactor ( relationshipPattern? patternFactor )* ;
patternFactor
  : nodePattern
  | openParen ( name '=' )? patternElement whereClause? ')' repeatCount?
  ;
repeatCount : '{' from=INTEGER? ( dots=',' to=INTEGER? )? '}' | sign=( '+' | '*' ) ;
openParen : '(' | PATTERN_OPEN ;
nodePattern : openParen variable? labels? properties? whereClause? ')' ;
relationshipPattern : left='<'? '-' relationshipDetail? '-' right='>'? repeatCount? ;
relationshipDetail : '[' variable? labels? hops? properties? whereClause? ']' ;
hops : '*' from=INTEGER? ( dots='..' to=INTEGER? )? ;
properties : map | PARAMETER ;

labels : ( ':' | 'IS' ) labelOr ;
labelOr : labelAnd ( '|' ':'? labelAnd )* ;
labelAnd : labelNot ( ( '&' | ':' ) labelNot )* ;
labelNot : '!'* labelAtom ;
labelAtom
  : name
  | '%'
  | '(' labelOr ')'
  | '$' '(' expr ')'
  | PARAMETER '(' expr ')'
  ;

// -------------------------------------------------------------------------------------------------------- expressions
expr
  : primary                                                    # Atom
  | expr '.' name                                              # Property
  | expr '[' subscript ']'                                         # IndexOf
  | op=( '-' | '+' ) expr                                      # Sign
  | expr op='^' expr                                           # Power
  | expr op=( '*' | '/' | '%' ) expr                           # Product
  | expr op=( '+' | '-' | '||' ) expr                          # Sum
  | expr predicate expr                                             # Test
  | expr 'IS' negated='NOT'? 'NULL'                                # NullTest
  | expr 'IS' negated='NOT'? word=IDENTIFIER second=IDENTIFIER?    # WordTest
  | expr ( 'IS' negated='NOT'? ( '::' | 'TYPED' ) | '::' ) type    # TypeTest
  | expr ':' labelOr                                           # LabelTest
  | expr op=( '=' | '<>' | '<' | '<=' | '>' | '>=' ) expr      # Comparison
  | 'NOT' expr                                                 # Not
  | expr op='AND' expr                                         # And
  | expr op='XOR' expr                                         # Xor
  | expr op='OR' expr                                          # Or
  ;
predicate : 'STARTS' 'WITH' | 'ENDS' 'WITH' | 'CONTAINS' | '=~' | 'IN' ;
subscript : from=expr ( dots='..' to=expr? )? | dots='..' to=expr? ;

primary
  : literal                                                    # LiteralPrimary
  | CONSTANT_LIST                                              # ConstantList
  | PARAMETER                                                  # Parameter
  | caseExpression                                             # Case
  | 'COUNT' '(' '*' ')'                                        # CountStar
  | kind=( 'EXISTS' | 'COUNT' | 'COLLECT' ) '{' subqueryBody '}'                                       # Subquery
  | COMPREHENSION_OPEN variable 'IN' source=expr whereClause? ( BAR result=expr )? ']'                       # ListComprehension
  | PATTERN_COMPREHENSION_OPEN ( name '=' )? patternElement whereClause? BAR expr ']'                        # PatternComprehension
  | '[' ( expr ( ',' expr )* )? ']'                            # List
  | map                                                        # MapPrimary
  | variable '{' ( projectedItem ( ',' projectedItem )* )? '}' # MapProjection
  | kind=( 'ALL' | 'ANY' | 'NONE' | 'SINGLE' ) '(' variable 'IN' expr whereClause? ')'                       # Quantifier
  | 'REDUCE' '(' variable '=' initial=expr ',' variable 'IN' source=expr BAR result=expr ')'           # Reduce
  | shortestPath                                               # ShortestPathPrimary
  | patternChain                                               # PatternPredicate
  | '(' expr ')'                                               # Parenthesized
  | functionCall                                               # Function
  | variable                                                   # VariablePrimary
  ;
literal : INTEGER | FLOAT | STRING | 'TRUE' | 'FALSE' | 'NULL' ;
map : '{' ( mapEntry ( ',' mapEntry )* )? '}' ;
mapEntry : name ':' expr ;
projectedItem : '.' everything='*' | '.' name | name ':' expr | variable ;
patternChain : PATTERN_OPEN variable? labels? properties? whereClause? ')' ( relationshipPattern nodePattern )+ ;
subqueryBody : query | pattern whereClause? ;
caseExpression : 'CASE' operand=expr? caseWhen+ ( 'ELSE' otherwise=expr )? 'END' ;
caseWhen : 'WHEN' caseTest ( ',' caseTest )* 'THEN' result=expr ;
// Behind CASE x a test may begin with its operator, x being its left side.
caseTest
  : expr
  | op=( '=' | '<>' | '<' | '<=' | '>' | '>=' ) expr
  | predicate expr
  | 'IS' negated='NOT'? ( 'NULL' | 'TYPED' type | word=IDENTIFIER second=IDENTIFIER? )
  ;
// trim(BOTH 'x' FROM text): grammar/shapes.cc leaves these words keywords only behind `trim(`.
functionCall
  : functionName '(' side=( 'BOTH' | 'LEADING' | 'TRAILING' )? distinct='DISTINCT'? ( expr ( ',' expr )* )? ( 'FROM' from=expr )? ')'
  ;
functionName : ( name '.' )* ( variable | 'EXISTS' | 'COUNT' | 'COLLECT' ) ;
dottedName : name ( '.' name )* ;

// -------------------------------------------------------------------------------------------------------------- types
type : typeAtom ( '|' typeAtom )* ;
typeAtom : typeWord+ ( '<' type '>' )? ( '(' INTEGER ( ',' typeWord+ )? ')' )? ( 'NOT' 'NULL' | '!' )? ;
typeWord
  : IDENTIFIER | 'NODE' | 'RELATIONSHIP' | 'POINT' | 'VECTOR' | 'PROPERTY' | 'ANY' | 'NULL' | 'WITH' | 'NOTHING' | 'GRAPH'
  ;

// ------------------------------------------------------------------------------------------------------------- schema
command : createIndex | createConstraint | dropCommand | alterIndex | alterGraphType | showCommand ;
createIndex
  : 'CREATE' kind=( 'RANGE' | 'TEXT' | 'POINT' | 'LOOKUP' | 'VECTOR' | 'FULLTEXT' )? 'INDEX' schemaName? ifNotExists?
    'FOR' element 'ON' indexed ( 'WITH' '[' propertyOf ( ',' propertyOf )* ']' )? ( 'OPTIONS' properties )?
  ;
indexed
  : propertyOf
  | '(' propertyOf ( ',' propertyOf )* ')'
  | 'EACH' '[' propertyOf ( ',' propertyOf )* ']'
  | 'EACH'? name '(' name ')'
  ;
createConstraint
  : 'CREATE' 'CONSTRAINT' schemaName? ifNotExists? 'FOR' element 'REQUIRE' requirement ( 'OPTIONS' properties )?
  ;
ifNotExists : 'IF' 'NOT' 'EXISTS' ;
schemaName : variable | PARAMETER ;
element
  : openParen variable ':' name ( '|' ':'? name )* ')'                                                     # NodeElement
  | openParen ')' '<'? '-' '[' variable ':' name ( '|' ':'? name )* ']' '-' '>'? openParen ')'                  # RelationshipElement
  | openParen variable ')'                                                                                 # AnyNodeElement
  | openParen ')' '<'? '-' '[' variable ']' '-' '>'? openParen ')'                                              # AnyRelationshipElement
  ;
propertyOf : name '.' name ;
requirement : ( propertyOf | '(' propertyOf ( ',' propertyOf )* ')' ) requiredRule ;
requiredRule
  : 'IS' uniqueness                                            # UniqueRule
  | 'IS' 'NOT' 'NULL'                                          # ExistenceRule
  | ( 'IS'? '::' | 'IS' 'TYPED' ) type                         # TypeRule
  ;
uniqueness : ( 'NODE' | 'REL' | 'RELATIONSHIP' )? ( key='KEY' | 'UNIQUE' ) ;
dropCommand : 'DROP' kind=( 'INDEX' | 'CONSTRAINT' ) schemaName ( 'IF' 'EXISTS' )? ;

alterIndex : 'ALTER' 'VECTOR'? 'INDEX' schemaName ( 'IF' 'EXISTS' )? 'SET' 'OPTIONS' properties ;
alterGraphType
  : 'ALTER' 'CURRENT' 'GRAPH' 'TYPE' action=( 'SET' | 'ADD' | 'ALTER' | 'DROP' )
    '{' ( graphTypeItem ( ',' graphTypeItem )* )? '}' 'CLOSED'?
  ;
graphTypeItem
  : nodeType ( 'REQUIRE' requirement )*                        # NodeTypeItem
  | relationshipType ( 'REQUIRE' requirement )*                # RelationshipTypeItem
  | 'CONSTRAINT' schemaName? 'FOR' element 'REQUIRE' requirement                                      # ConstraintItem
  | 'CONSTRAINT' schemaName                                    # ConstraintNameItem
  ;
nodeType : openParen variable? colon name ( implies implied? typedMap? )? ')' ;
implied : colon name ( ( '&' | ':' ) name )* ;
relationshipType : endType '-' '[' variable? colon name ( implies typedMap? )? ']' '-' '>' endType ;
endType : openParen variable? ( colon name implies? )? ')' ;
colon : ':' | 'IS' ;
implies : '=>' | 'IMPLIES' ;
typedMap : '{' ( typedProperty ( ',' typedProperty )* )? '}' ;
typedProperty : name ( 'IS'? '::' | 'IS'? 'TYPED' ) type ( 'IS' uniqueness )? ;

showCommand : showPart+ ( 'RETURN' projection )? ;
showPart
  : ( 'SHOW' showWord+ ( shownId ( ',' shownId )* )? | 'TERMINATE' ( 'TRANSACTION' | 'TRANSACTIONS' ) expr ( ',' expr )* )
    ( 'YIELD' yieldItems projectionTail )? whereClause?
  ;
shownId : STRING | PARAMETER | CONSTANT_LIST | '[' ( shownId ( ',' shownId )* )? ']' ;
showWord
  : IDENTIFIER | 'ALL' | 'VECTOR' | 'FULLTEXT' | 'RANGE' | 'TEXT' | 'POINT' | 'LOOKUP' | 'INDEX' | 'INDEXES' | 'NODE'
  | 'REL' | 'RELATIONSHIP' | 'PROPERTY' | 'UNIQUE' | 'UNIQUENESS' | 'KEY' | 'EXISTENCE' | 'EXISTS' | 'EXIST' | 'TYPE'
  | 'CONSTRAINT' | 'CONSTRAINTS' | 'CURRENT' | 'GRAPH' | 'AS' | 'FUNCTION' | 'FUNCTIONS' | 'PROCEDURE' | 'PROCEDURES'
  | 'TRANSACTION' | 'TRANSACTIONS' | 'SETTING' | 'SETTINGS' | 'DATABASE' | 'DATABASES' | 'IN' | 'BY'
  ;

// -------------------------------------------------------------------------------------------------------------- names
// Labels, types, keys, aliases and fields may be any word. A variable may be any word but those that begin or join
// clauses and expressions; grammar/shapes.cc turns these too into identifiers whereClause what follows shows a name.
name : IDENTIFIER | freeWord | reservedWord ;
variable : IDENTIFIER | freeWord ;
freeWord
  : 'ADD' | 'ALL' | 'ALLSHORTESTPATHS' | 'ALTER' | 'ANY' | 'ASC' | 'ASCENDING' | 'BREAK' | 'BY' | 'CLOSED' | 'COLLECT'
  | 'CONCURRENT' | 'CONSTRAINT' | 'CONSTRAINTS' | 'CONTINUE' | 'COUNT' | 'CSV' | 'CURRENT' | 'CYPHER' | 'DATABASE'
  | 'DATABASES' | 'DESC' | 'DESCENDING' | 'DROP' | 'EACH' | 'END' | 'ERROR' | 'EXISTENCE' | 'EXIST' | 'EXISTS' | 'EXPLAIN' | 'FAIL'
  | 'FIELDTERMINATOR' | 'FILTER' | 'FINISH' | 'FOR' | 'FROM' | 'FULLTEXT' | 'FUNCTION' | 'FUNCTIONS' | 'GRAPH' | 'HEADERS' | 'IF'
  | 'IMPLIES' | 'INDEX' | 'INDEXES' | 'INSERT' | 'JOIN' | 'KEY' | 'LET' | 'LIMIT' | 'LOAD' | 'LOOKUP' | 'NEXT' | 'NODE' | 'NODETACH' | 'NONE'
  | 'NOTHING' | 'OF' | 'OFFSET' | 'ON' | 'OPTIONAL' | 'OPTIONS' | 'ORDER' | 'POINT' | 'PROCEDURE' | 'PROCEDURES'
  | 'PROFILE' | 'PROPERTY' | 'RANGE' | 'REDUCE' | 'REL' | 'RELATIONSHIP' | 'REPORT' | 'REQUIRE' | 'ROW' | 'ROWS' | 'SCAN'
  | 'SCORE' | 'SEARCH' | 'SEEK' | 'SETTING' | 'SETTINGS' | 'SHORTESTPATH' | 'SHOW' | 'SINGLE' | 'SKIP' | 'STATUS' | 'TERMINATE' | 'TEXT'
  | 'TRANSACTION' | 'TRANSACTIONS' | 'TYPE' | 'TYPED' | 'UNIQUE' | 'UNIQUENESS' | 'USING' | 'VECTOR' | 'YIELD'
  ;
reservedWord
  : 'AND' | 'AS' | 'CALL' | 'CASE' | 'CONTAINS' | 'CREATE' | 'DELETE' | 'DETACH' | 'DISTINCT' | 'ELSE' | 'ENDS' | 'FALSE'
  | 'FOREACH' | 'IN' | 'IS' | 'MATCH' | 'MERGE' | 'NOT' | 'NULL' | 'OR' | 'REMOVE' | 'RETURN' | 'SET' | 'STARTS' | 'THEN'
  | 'TRUE' | 'UNION' | 'UNWIND' | 'WHEN' | 'WHERE' | 'WITH' | 'XOR'
  ;
