package dev.outbox.sample.monitoring;

import dev.outbox.sample.monitoring.Expression.Aggregation;
import dev.outbox.sample.monitoring.Expression.Binary;
import dev.outbox.sample.monitoring.Expression.Call;
import dev.outbox.sample.monitoring.Expression.Constant;
import dev.outbox.sample.monitoring.Expression.Matcher;
import dev.outbox.sample.monitoring.Expression.Range;
import dev.outbox.sample.monitoring.Expression.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.boot.convert.DurationStyle;

/** Parser of the PromQL that the rules and the dashboard use. It refuses every other construct, so that no expression is half understood. */
final class PromQl {

    private static final Set<String> AGGREGATIONS = Set.of("sum", "max", "count");
    private static final Set<String> FUNCTIONS = Set.of("increase", "rate", "absent", "histogram_quantile");
    private static final List<Set<String>> PRECEDENCE = List.of(
            Set.of("or"),
            Set.of("and", "unless"),
            Set.of("==", "!=", "<=", ">=", "<", ">"),
            Set.of("+", "-"),
            Set.of("*", "/"));
    private static final Set<String> KEYWORDS = Set.of(
            "or", "and", "unless", "by", "without", "on", "ignoring", "bool", "offset", "group_left", "group_right");
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");
    private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d+)?");
    private static final Pattern TOKEN =
            Pattern.compile("\\s*([a-zA-Z_]\\w*|\\d+[smhd]|\\d+(?:\\.\\d+)?|\"[^\"\\\\]*\"|=~|!=|==|<=|>=|\\S)\\s*");

    private final String text;
    private final List<String> tokens;
    private int next;

    private PromQl(String text) {
        this.text = text;
        this.tokens =
                TOKEN.matcher(text).results().map((token) -> token.group(1)).toList();
    }

    static Expression parse(String text) {
        PromQl parser = new PromQl(text);
        Expression expression = parser.binary(0);
        if (parser.next < parser.tokens.size()) {
            throw parser.refused();
        }
        return expression;
    }

    private Expression binary(int level) {
        if (level == PRECEDENCE.size()) {
            return atom();
        }
        Expression left = binary(level + 1);
        while (PRECEDENCE.get(level).contains(peek())) {
            String operator = take();
            left = new Binary(operator, left, binary(level + 1));
        }
        return left;
    }

    private Expression atom() {
        String token = take();
        if (token.equals("(")) {
            Expression inner = binary(0);
            expect(")");
            return inner;
        }
        if (NUMBER.matcher(token).matches()) {
            return new Constant(Double.parseDouble(token));
        }
        if (!NAME.matcher(token).matches() || KEYWORDS.contains(token)) {
            throw refused();
        }
        if (AGGREGATIONS.contains(token)) {
            return aggregation(token);
        }
        return peek().equals("(") ? call(token) : selector(token);
    }

    private Expression aggregation(String operator) {
        List<String> by = new ArrayList<>();
        if (peek().equals("by")) {
            take();
            expect("(");
            do {
                by.add(name());
            } while (peek().equals(",") && take().equals(","));
            expect(")");
        }
        expect("(");
        Expression argument = binary(0);
        expect(")");
        return new Aggregation(operator, by, argument);
    }

    private Expression call(String function) {
        if (!FUNCTIONS.contains(function)) {
            throw refused();
        }
        expect("(");
        List<Expression> arguments = new ArrayList<>();
        do {
            arguments.add(binary(0));
        } while (peek().equals(",") && take().equals(","));
        expect(")");
        boolean overRange = arguments.get(0) instanceof Range;
        if (overRange != (function.equals("increase") || function.equals("rate"))) {
            throw refused();
        }
        return new Call(function, arguments);
    }

    private Expression selector(String metric) {
        List<Matcher> matchers = new ArrayList<>();
        if (peek().equals("{")) {
            take();
            do {
                matchers.add(new Matcher(name(), matcher(), string()));
            } while (peek().equals(",") && take().equals(","));
            expect("}");
        }
        Selector selector = new Selector(metric, matchers);
        if (!peek().equals("[")) {
            return selector;
        }
        take();
        Range range = new Range(selector, DurationStyle.SIMPLE.parse(take()));
        expect("]");
        return range;
    }

    private String matcher() {
        String operator = take();
        if (!Set.of("=", "!=", "=~").contains(operator)) {
            throw refused();
        }
        return operator;
    }

    private String string() {
        String token = take();
        if (!token.startsWith("\"") || token.length() < 2) {
            throw refused();
        }
        return token.substring(1, token.length() - 1);
    }

    private String name() {
        String token = take();
        if (!NAME.matcher(token).matches()) {
            throw refused();
        }
        return token;
    }

    private String peek() {
        return next < tokens.size() ? tokens.get(next) : "";
    }

    private String take() {
        String token = peek();
        next++;
        return token;
    }

    private void expect(String token) {
        if (!take().equals(token)) {
            throw refused();
        }
    }

    private IllegalArgumentException refused() {
        String token = next - 1 >= 0 && next - 1 < tokens.size() ? tokens.get(next - 1) : "the end";
        return new IllegalArgumentException("not in the supported PromQL: '" + token + "' in " + text);
    }

    /** Returns the metrics that an expression reads. */
    static List<Selector> selectors(Expression expression) {
        return expression
                .all()
                .filter(Selector.class::isInstance)
                .map(Selector.class::cast)
                .toList();
    }
}
