package dev.outbox.sample.adapters.upbit;

import dev.outbox.sample.http.GatewayClient;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.http.RetryAfter;
import dev.outbox.sample.trading.Exchange;
import dev.outbox.sample.trading.ExchangeUnreachableException;
import dev.outbox.sample.trading.Fill;
import dev.outbox.sample.trading.NoAnswerException;
import dev.outbox.sample.trading.Order;
import dev.outbox.sample.trading.Side;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import tools.jackson.databind.JsonNode;

/** Exchange that places orders at Upbit, looks them up by their identifier, and reads their executions. */
final class Upbit implements Exchange {

    /** Answers to too many requests: Upbit bans those who continue. */
    private static final Set<Integer> BUSY = Set.of(429, 418);

    /** States of an order that is not executed any further. */
    private static final Set<String> ENDED = Set.of("done", "cancel");

    /** Answers to wrong keys or a wrong address of the caller, which an operator can correct. */
    private static final Set<Integer> REFUSED_KEYS = Set.of(401, 403);

    private final URI baseUrl;
    private final UpbitTokens tokens;
    private final GatewayClient http;

    Upbit(URI baseUrl, UpbitTokens tokens, GatewayClient http) {
        this.baseUrl = baseUrl;
        this.tokens = tokens;
        this.http = http;
    }

    @Override
    public Answer place(Order order) {
        if (order.price() == null && order.side() == Side.BUY) {
            return new Answer.Rejected("Upbit buys at the market by amount, not by volume: set a limit");
        }
        Map<String, String> parameters = parameters(order);
        dev.outbox.sample.http.Answer answer = send(HttpMethod.POST, "/v1/orders", query(parameters), parameters);
        if (BUSY.contains(answer.status())) {
            return new Answer.Throttled(retryAfter(answer));
        }
        if (answer.status() / 100 == 4 && answer.status() != 408) {
            return new Answer.Rejected(problem(answer));
        }
        return new Answer.Accepted(orderId(order.identifier(), answer));
    }

    @Override
    public Optional<String> find(String identifier) {
        return lookUp(identifier).map((answer) -> orderId(identifier, answer));
    }

    @Override
    public Executions executions(String identifier) {
        return lookUp(identifier)
                .map((answer) -> executions(identifier, answer))
                .orElse(Executions.NONE);
    }

    private static Map<String, String> parameters(Order order) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("market", order.market());
        parameters.put("side", order.side() == Side.BUY ? "bid" : "ask");
        parameters.put("volume", order.volume().toPlainString());
        BigDecimal limit = order.price();
        if (limit != null) {
            parameters.put("price", limit.toPlainString());
        }
        parameters.put("ord_type", limit == null ? "market" : "limit");
        parameters.put("identifier", order.identifier());
        return parameters;
    }

    private static String query(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map((parameter) -> parameter.getKey() + "=" + parameter.getValue())
                .collect(Collectors.joining("&"));
    }

    private Optional<dev.outbox.sample.http.Answer> lookUp(String identifier) {
        String query = "identifier=" + identifier;
        dev.outbox.sample.http.Answer answer = send(HttpMethod.GET, "/v1/order?" + query, query, null);
        if (answer.status() == 404 && error(answer).path("name").asString("").equals("order_not_found")) {
            return Optional.empty();
        }
        if (BUSY.contains(answer.status())) {
            throw new ExchangeUnreachableException(problem(answer), retryAfter(answer));
        }
        return Optional.of(answer);
    }

    /** Sends a request. Without a connection or with refused keys, the order does not exist. */
    private dev.outbox.sample.http.Answer send(HttpMethod method, String path, String query, @Nullable Object body) {
        HttpHeaders headers = new HttpHeaders();
        headers.setBearerAuth(tokens.of(query));
        try {
            dev.outbox.sample.http.Answer answer = http.sendJson(method, baseUrl.resolve(path), headers, body);
            if (REFUSED_KEYS.contains(answer.status())) {
                throw new ExchangeUnreachableException(problem(answer));
            }
            return answer;
        } catch (GatewayException ex) {
            String message = String.valueOf(ex.getMessage());
            boolean connected = !(ex.getCause() instanceof ConnectException
                    || ex.getCause() instanceof HttpConnectTimeoutException);
            throw connected ? new NoAnswerException(message) : new ExchangeUnreachableException(message);
        }
    }

    private static String orderId(String identifier, dev.outbox.sample.http.Answer answer) {
        JsonNode id = json(answer).path("uuid");
        if (!answer.isSuccess() || !id.isString()) {
            throw new NoAnswerException(problem(answer) + " for order " + identifier);
        }
        return id.asString();
    }

    private static Executions executions(String identifier, dev.outbox.sample.http.Answer answer) {
        String orderId = orderId(identifier, answer);
        JsonNode order = json(answer);
        List<Fill> fills = order.path("trades")
                .valueStream()
                .map((trade) -> new Fill(
                        identifier,
                        trade.path("uuid").asString(),
                        orderId,
                        new BigDecimal(trade.path("volume").asString())))
                .toList();
        // The state may change before the list of the executions.
        boolean complete = ENDED.contains(order.path("state").asString(""))
                && fills.size() >= order.path("trades_count").asInt(0);
        return new Executions(fills, complete);
    }

    private static Duration retryAfter(dev.outbox.sample.http.Answer answer) {
        return RetryAfter.of(answer.headers(), answer.receivedAt())
                .orElse(answer.status() == 418 ? Duration.ofMinutes(1) : Duration.ofSeconds(1));
    }

    private static JsonNode json(dev.outbox.sample.http.Answer answer) {
        try {
            return answer.json();
        } catch (GatewayException ex) {
            throw new NoAnswerException(String.valueOf(ex.getMessage()));
        }
    }

    private static JsonNode error(dev.outbox.sample.http.Answer answer) {
        return json(answer).path("error");
    }

    private static String problem(dev.outbox.sample.http.Answer answer) {
        JsonNode error = error(answer);
        return "Upbit answered %d %s %s"
                .formatted(
                        answer.status(),
                        error.path("name").asString(""),
                        error.path("message").asString(""))
                .strip();
    }
}
