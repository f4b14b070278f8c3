import { Controller, Get, Param, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../../shared/auth/index.js';
import { Config } from '../../../../shared/config/index.js';
import { DomainError } from '../../../../shared/errors.js';
import { RateLimited } from '../../../../shared/http/index.js';
import { PagesService, sendPage } from '../../../../shared/web/index.js';
import type { CompiledPolicy } from '../../decision/decide-delivery.js';
import { hostName } from '../../decision/host-names.js';
import { DeliveryGateService } from '../../gate/delivery-gate.service.js';
import { ViewerTokensService } from '../../gate/viewer-tokens.service.js';
import { pageUrl } from '../delivery-urls.js';
import { embedPageAssets } from './embed-page-assets.js';
import { EmbedProblemFilter } from './embed-problem.filter.js';

const PAGE = new URL('./embed-sign-in.eta', import.meta.url);

/** The data of embed-sign-in.eta. */
interface SignInPage {
  readonly title: string;
  /** The pass for the frame that opened the window; null: the signed-in account may not see the link. */
  readonly pass: string | null;
  /** The only origin that receives the pass. */
  readonly origin: string;
  /** The address of the player on its own host, where the session cookie is not sent; null: a frame is waiting for the pass. */
  readonly continueUrl: string | null;
  readonly stylesheet: string;
  readonly script: string;
}

/**
 * Takes a refused viewer through the sign-in and back to the player: in the same tab, or for a player in a frame in a separate window, which sends
 * the frame a pass (ViewerTokensService).
 */
@ApiExcludeController()
@Public()
@IgnoresCredentials()
@UseFilters(EmbedProblemFilter)
@RateLimited('delivery')
@Controller('v5/deliverEmbed')
export class EmbedSignInController {
  constructor(
    private readonly gate: DeliveryGateService,
    private readonly tokens: ViewerTokensService,
    private readonly config: Config,
    private readonly pages: PagesService,
  ) {}

  /** `window`: a frame waits for the pass. `returned`: the viewer comes from the sign-in. `from`: a way back to another host (ViewerTokensService). */
  @Get(':link/sign-in')
  async signIn(
    @Param('link') link: string,
    @Query() { window, returned, from }: Readonly<Record<string, unknown>>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (window) response.setHeader('cross-origin-opener-policy', 'unsafe-none'); // otherwise the window loses its opener
    const viewer = await this.findViewer(link, request, from);
    const isHere = viewer?.origin === new URL(this.config.publicUrl).origin;
    if (viewer && (viewer.pass === null || (isHere && !window))) return response.redirect(303, viewer.url);
    if (!viewer && !returned) return response.redirect(303, this.signInUrl(link, request, { window, from }));
    const shown: SignInPage = {
      title: viewer ? 'You are signed in' : 'This account cannot see this',
      pass: viewer?.pass ?? null,
      origin: viewer?.origin ?? '',
      continueUrl: viewer && !window ? `${viewer.url}?auth=${viewer.pass}` : null,
      stylesheet: embedPageAssets.stylesheet,
      script: embedPageAssets.signInScript,
    };
    sendPage(response, viewer ? 200 : 403, this.pages.render<SignInPage>(PAGE, shown));
  }

  /**
   * The signed-in user who may see the link; null: there is none. Throws what the gate throws for every other reason; page and host count as allowed.
   */
  private async findViewer(address: string, request: Request, from: unknown) {
    try {
      const { link, policy, viewer } = await this.gate.open(address, request, { forEmbedding: true });
      const pass = viewer.sessionUserId ? this.tokens.issuePass(link, viewer.sessionUserId, request.context.clientAddress) : null;
      const origin = this.originOf(policy, request, this.findWayBack(address, request, from));
      return { url: pageUrl(origin, link.link), pass, origin };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'auth_required') return null;
      throw error;
    }
  }

  /**
   * The origin of the player: the link's own host (`url.cname`) if the viewer came from there, otherwise that of PUBLIC_URL. The setting alone
   * proves nothing: its customer may have named any host.
   */
  private originOf({ settings }: CompiledPolicy, { context }: Request, wayBack: string | null): string {
    const { protocol, origin } = new URL(this.config.publicUrl);
    const cname = settings['url.cname'];
    const host = [context.host, wayBack].find((one) => cname && one !== null && hostName(one) === cname);
    return host ? `${protocol}//${host}` : origin;
  }

  private findWayBack(link: string, { context }: Request, from: unknown): string | null {
    return this.tokens.findWayBack(from, { link, address: context.clientAddress });
  }

  private signInUrl(link: string, request: Request, { window, from }: Readonly<Record<'window' | 'from', unknown>>): string {
    const { host, clientAddress: address } = request.context;
    const wayBack = this.tokens.issueWayBack({ link, address }, this.findWayBack(link, request, from) ?? host);
    const query = new URLSearchParams({ returned: '1', ...(window !== undefined && { window: '1' }), from: wayBack });
    const back = `/v5/deliverEmbed/${encodeURIComponent(link)}/sign-in?${query}`;
    return `${this.config.publicUrl}/account?${new URLSearchParams({ return_to: back })}`;
  }
}
