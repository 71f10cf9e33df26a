package dev.outbox.sample.monitoring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** PromQL expression, as far as the rules and the dashboard use the language. */
sealed interface Expression {

    /** Returns the expressions inside this one, this one included. */
    default Stream<Expression> all() {
        return Stream.of(this);
    }

    /** Scalar constant. */
    record Constant(double value) implements Expression {}

    /** Instant vector: a metric and matchers on its labels. */
    record Selector(String metric, List<Matcher> matchers) implements Expression {}

    /** Range vector. */
    record Range(Selector selector, Duration window) implements Expression {
        @Override
        public Stream<Expression> all() {
            return Stream.of(this, selector);
        }
    }

    /** Function call. */
    record Call(String function, List<Expression> arguments) implements Expression {
        @Override
        public Stream<Expression> all() {
            return Stream.concat(Stream.of(this), arguments.stream().flatMap(Expression::all));
        }
    }

    /** Aggregation over the series that share the labels. */
    record Aggregation(String operator, List<String> by, Expression argument) implements Expression {
        @Override
        public Stream<Expression> all() {
            return Stream.concat(Stream.of(this), argument.all());
        }
    }

    /** Arithmetic, comparison or set operation. */
    record Binary(String operator, Expression left, Expression right) implements Expression {
        @Override
        public Stream<Expression> all() {
            return Stream.of(Stream.of((Expression) this), left.all(), right.all())
                    .flatMap((part) -> part);
        }
    }

    /** Matcher of one label: {@code =}, {@code !=} or {@code =~}. */
    record Matcher(String label, String operator, String value) {

        boolean matches(Map<String, String> labels) {
            String actual = labels.getOrDefault(label, "");
            return switch (operator) {
                case "=" -> actual.equals(value);
                case "!=" -> !actual.equals(value);
                case "=~" -> actual.matches(value);
                default -> throw new UnsupportedOperationException("matcher " + operator);
            };
        }
    }
}
