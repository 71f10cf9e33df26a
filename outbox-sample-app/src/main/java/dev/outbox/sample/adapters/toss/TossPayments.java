package dev.outbox.sample.adapters.toss;

import dev.outbox.RetryAfterException;
import dev.outbox.sample.billing.Bank;
import dev.outbox.sample.billing.BankException;
import dev.outbox.sample.billing.Charge;
import dev.outbox.sample.http.Answer;
import dev.outbox.sample.http.GatewayClient;
import dev.outbox.sample.http.GatewayException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import tools.jackson.databind.JsonNode;

/**
 * Bank that charges billing keys of Toss Payments. The id of a charge is its order id and its idempotency key. Only codes that concern the
 * customer's card or account, and refusals of the authorization, decline a charge. Any other failure, such as a wrong secret key, leaves it
 * open.
 */
final class TossPayments implements Bank {

    private static final Logger log = LoggerFactory.getLogger(TossPayments.class);

    private static final Pattern DECLINED = Pattern.compile(
            "(REJECT|EXCEED_MAX|INVALID_CARD|INVALID_ACCOUNT|RESTRICTED)_\\w+|INVALID_(STOPPED|REJECT)_CARD"
                    + "|NOT_AVAILABLE_(PAYMENT|BANK)|NOT_SUPPORTED_CARD_TYPE");

    /** The order id has a payment, whose state is the answer. */
    private static final Set<String> ORDERED = Set.of("ALREADY_PROCESSED_PAYMENT", "DUPLICATED_ORDER_ID");

    /** Answers to a request for a billing key that do not concern the authorization. */
    private static final Set<Integer> NO_REFUSALS = Set.of(401, 403, 408, 409, 425, 429);

    private final TossSettings settings;
    private final GatewayClient http;
    private final TossKeys keys;

    TossPayments(TossSettings settings, GatewayClient http, TossKeys keys) {
        this.settings = settings;
        this.http = http;
        this.keys = keys;
    }

    @Override
    public boolean collect(Charge charge) {
        TossKeys.Key key = keys.find(charge.billingKeyId());
        if (key.deleted()) {
            return payment(charge).filter((payment) -> isPaid(charge, payment)).isPresent();
        }
        return bankKey(charge, key)
                .map((bankKey) -> charge(charge, key, bankKey))
                .orElse(false);
    }

    @Override
    public void cancel(Charge charge) {
        payment(charge).filter((payment) -> isPaid(charge, payment)).ifPresent((payment) -> refund(charge, payment));
    }

    private boolean charge(Charge charge, TossKeys.Key key, String bankKey) {
        Answer answer = call(
                charge,
                HttpMethod.POST,
                "/v1/billing/" + bankKey,
                charge.id(),
                Map.<String, Object>of(
                        "customerKey", key.id(),
                        "orderId", charge.id(),
                        "orderName", charge.planCode(),
                        "amount", charge.amount()));
        if (answer.isSuccess()) {
            return isPaid(charge, json(charge, answer));
        }
        if (ORDERED.contains(code(answer))) {
            return isPaid(charge, payment(charge).orElseThrow(() -> unknown(charge, answer)));
        }
        return declined(charge, answer);
    }

    /** Returns the bank's key, which the first charge requests with the authorization of the user; empty if Toss Payments refuses it. */
    private Optional<String> bankKey(Charge charge, TossKeys.Key key) {
        if (key.bankKey() != null) {
            return Optional.of(key.bankKey());
        }
        if (key.authKey() == null) {
            log.info("{} has no authorization for Toss Payments", key);
            return Optional.empty();
        }
        Answer answer = call(
                charge,
                HttpMethod.POST,
                "/v1/billing/authorizations/issue",
                key.id(),
                Map.<String, Object>of(
                        "authKey", key.authKey(),
                        "customerKey", key.id()));
        if (!answer.isSuccess()) {
            checkRefused(charge, answer);
            return Optional.empty();
        }
        String bankKey = json(charge, answer).path("billingKey").asString("");
        if (bankKey.isEmpty()) {
            throw unknown(charge, answer);
        }
        keys.store(key.id(), bankKey);
        return Optional.of(bankKey);
    }

    /** Throws an exception unless the answer refuses the authorization. As nothing was charged, any other 4xx is a refusal. */
    private static void checkRefused(Charge charge, Answer answer) {
        if (answer.status() / 100 != 4 || NO_REFUSALS.contains(answer.status())) {
            declined(charge, answer);
        } else {
            log.info("{}: authorization refused, {}", charge, code(answer));
        }
    }

    private void refund(Charge charge, JsonNode payment) {
        String path = "/v1/payments/" + payment.path("paymentKey").asString() + "/cancel";
        Answer answer = call(
                charge,
                HttpMethod.POST,
                path,
                "cancel-" + charge.id(),
                Map.of("cancelReason", "the subscription has ended"));
        if (!answer.isSuccess() && !code(answer).equals("ALREADY_CANCELED_PAYMENT")) {
            throw unknown(charge, answer);
        }
    }

    /** Returns the payment of a charge, or empty if Toss Payments has none. */
    private Optional<JsonNode> payment(Charge charge) {
        Answer answer = call(charge, HttpMethod.GET, "/v1/payments/orders/" + charge.id(), null, null);
        if (answer.isSuccess()) {
            return Optional.of(json(charge, answer));
        }
        if (code(answer).equals("NOT_FOUND_PAYMENT")) {
            return Optional.empty();
        }
        throw unknown(charge, answer);
    }

    private static boolean isPaid(Charge charge, JsonNode payment) {
        String status = payment.path("status").asString("");
        return switch (status) {
            case "DONE" -> true;
            case "ABORTED", "CANCELED", "EXPIRED" -> false;
            default -> throw new BankException(charge, "Toss Payments has the payment as '" + status + "'");
        };
    }

    /** Returns {@code false}, or throws an exception if the outcome is unknown. */
    private static boolean declined(Charge charge, Answer answer) {
        String code = code(answer);
        if (answer.status() / 100 != 4 || !DECLINED.matcher(code).matches()) {
            throw unknown(charge, answer);
        }
        log.info("{}: declined, {}", charge, code);
        return false;
    }

    private static RuntimeException unknown(Charge charge, Answer answer) {
        RuntimeException failure = answer.failure(code(answer));
        return failure instanceof RetryAfterException
                ? failure
                : new BankException(charge, String.valueOf(failure.getMessage()));
    }

    private static String code(Answer answer) {
        return answer.json().path("code").asString("");
    }

    private static JsonNode json(Charge charge, Answer answer) {
        try {
            return answer.json();
        } catch (GatewayException ex) {
            throw new BankException(charge, String.valueOf(ex.getMessage()));
        }
    }

    private Answer call(
            Charge charge, HttpMethod method, String path, @Nullable Object idempotencyKey, @Nullable Object body) {
        HttpHeaders headers = new HttpHeaders();
        headers.setBasicAuth(settings.secretKey(), "");
        if (idempotencyKey != null) {
            headers.set("Idempotency-Key", idempotencyKey.toString());
        }
        URI uri = settings.baseUrl().resolve(path);
        try {
            return http.sendJson(method, uri, headers, body);
        } catch (GatewayException ex) {
            throw new BankException(charge, String.valueOf(ex.getMessage()));
        }
    }
}
