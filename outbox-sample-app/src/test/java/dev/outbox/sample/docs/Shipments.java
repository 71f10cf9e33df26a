package dev.outbox.sample.docs;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxHandler;
import dev.outbox.RetryAfterException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.Set;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

@Component
class Shipments {

    private static final Set<Integer> TEMPORARY = Set.of(408, 409, 425, 429);

    private final RestClient carrier;

    Shipments(@Value("${carrier.url}") String url, @Value("${carrier.timeout:3s}") Duration timeout) {
        HttpClient client = HttpClient.newBuilder().connectTimeout(timeout).build();
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(client);
        requests.setReadTimeout(timeout);
        carrier = RestClient.builder().baseUrl(url).requestFactory(requests).build();
    }

    record OrderPlaced(String orderId, String article) {}

    @OutboxHandler(id = "shipments", timeout = "10s")
    void request(OrderPlaced event, EventEnvelope envelope) {
        carrier.post()
                .uri("/shipments")
                .header("Idempotency-Key", envelope.eventId().toString())
                .body(event)
                .retrieve()
                .onStatus((status) -> !status.is2xxSuccessful(), (request, response) -> {
                    throw failure(response);
                })
                .toBodilessEntity();
    }

    private static RuntimeException failure(ClientHttpResponse response) throws IOException {
        HttpStatusCode status = response.getStatusCode();
        String message = "the carrier answered " + status.value();
        if (!status.is5xxServerError() && !TEMPORARY.contains(status.value())) {
            return new NonRetryableException(message);
        }
        return retryAfter(response.getHeaders())
                .<RuntimeException>map((delay) -> new RetryAfterException(delay, message))
                .orElseGet(() -> new IllegalStateException(message));
    }

    /** Reads seconds or a date; empty if the header is absent, unreadable or past. */
    private static Optional<Duration> retryAfter(HttpHeaders headers) {
        String value = String.valueOf(headers.getFirst(HttpHeaders.RETRY_AFTER));
        try {
            Duration delay = value.matches("\\d{1,9}")
                    ? Duration.ofSeconds(Long.parseLong(value))
                    : Duration.between(Instant.now(), DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from));
            return Optional.of(delay).filter((known) -> !known.isNegative());
        } catch (DateTimeException ex) {
            return Optional.empty();
        }
    }
}
