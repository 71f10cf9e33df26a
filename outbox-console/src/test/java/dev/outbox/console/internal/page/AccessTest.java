package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.internal.Rights;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockHttpSession;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** What signed-in users may do, by their authorities. */
class AccessTest {

    private static final List<String> COMMANDS = List.of(
            "pause",
            "resume",
            "deliveries/retry",
            "deliveries/skip",
            "failures/bulk",
            "replays",
            "replays/4/cancel",
            "scheduled/deliver",
            "scheduled/cancel");

    private static final List<String> ERASURES = List.of("erase", "expire", "%65rase", "expire;x=1");

    private final TestConsole console = TestConsole.secured(new Rights("readers", "ops", "dpo"));
    private final OutboxInspector inspector = console.inspector;
    private final OutboxOperations operations = console.operations;

    @ParameterizedTest
    @CsvSource({
        "readers, true, false, false",
        "ops, true, true, false",
        "dpo, true, false, true",
        "ROLE_OUTBOX_OPERATOR, false, false, false",
        "USER, false, false, false"
    })
    void authoritiesDecideWhatUsersMayDo(String authority, boolean look, boolean command, boolean erase)
            throws Exception {
        when(inspector.overview()).thenReturn(PageFixture.overview());

        MockHttpServletResponse overview = as(authority, get("/outbox"));
        assertThat(overview.getStatus()).isEqualTo(look ? 200 : 403);
        assertThat(overview.getContentAsString().contains("class=\"viewer\"")).isEqualTo(!command);
        assertThat(overview.getContentAsString().contains("data-may-erase")).isEqualTo(erase);
        assertThat(as(authority, get("/outbox/nothing")).getStatus()).isEqualTo(look ? 404 : 403);
        for (String change : COMMANDS) {
            assertThat(isAllowed(authority, change)).as(change).isEqualTo(command);
        }
        for (String change : ERASURES) {
            assertThat(isAllowed(authority, change)).as(change).isEqualTo(erase);
        }
        if (!look) {
            verifyNoInteractions(inspector, operations);
        }
    }

    private boolean isAllowed(String authority, String change) throws Exception {
        MockHttpServletRequestBuilder form =
                post(URI.create("/outbox/" + change)).header("Sec-Fetch-Site", "same-origin");
        return as(authority, form).getStatus() != 403;
    }

    @Test
    void onlyOperatorsSelectRows() throws Exception {
        when(operations.find(any(), anyInt())).thenReturn(List.of(PageFixture.delivery(9, DeliveryStatus.DEAD)));
        String page = "/outbox/failures/group?handler=mail";

        assertThat(as("ops", get(page)).getContentAsString()).contains("type=\"checkbox\" name=\"event\"");
        assertThat(as("readers", get(page)).getContentAsString())
                .contains(">OrderPlaced</a>")
                .doesNotContain("checkbox");
    }

    @Test
    void refusalNamesAuthoritiesAndProperty() throws Exception {
        assertThat(as("USER", get("/outbox")).getContentAsString())
                .contains("ann lacks the authority readers or ops or dpo", "outbox.authorities");
    }

    @Test
    void whoeverIsSignedInCanSignOut() throws Exception {
        MockHttpSession session = new MockHttpSession();
        assertThat(as("USER", get("/outbox")).getContentAsString()).contains("action=\"/outbox/sign-out\"");

        MockHttpServletResponse signedOut =
                as("USER", post("/outbox/sign-out").session(session).header("Sec-Fetch-Site", "same-origin"));

        assertThat(signedOut.getStatus()).isEqualTo(303);
        assertThat(signedOut.getHeader("Location")).isEqualTo("/outbox");
        assertThat(session.isInvalid()).isTrue();
        assertThat(as("USER", post("/outbox/sign-out").header("Sec-Fetch-Site", "cross-site"))
                        .getStatus())
                .isEqualTo(403);
    }

    @Test
    void browserThatSendsCredentialsAgainCannotSignOut() throws Exception {
        assertThat(as("USER", get("/outbox").header("Authorization", "Basic YW5uOnNlY3JldA=="))
                        .getContentAsString())
                .doesNotContain("sign-out");
    }

    @Test
    void onlyPartsOfTheConsoleAreMarkedAsItsOwn() throws Exception {
        when(inspector.overview()).thenReturn(PageFixture.overview());

        assertThat(as("readers", get("/outbox/overview/live")).getContentType()).contains("profile=outbox");
        assertThat(as("readers", get("/outbox/session")).getContentType()).contains("profile=outbox");
        assertThat(as("readers", get("/outbox")).getContentType()).doesNotContain("profile");
        assertThat(as("USER", get("/outbox/overview/live")).getContentType()).doesNotContain("profile");
        assertThat(console.send(get("/outbox/session")).getStatus()).isEqualTo(401);
    }

    private MockHttpServletResponse as(String authority, MockHttpServletRequestBuilder request) throws Exception {
        return console.send(request.principal(new TestingAuthenticationToken("ann", "", authority)));
    }
}
