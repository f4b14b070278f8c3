import type { ReactNode } from 'react';

/** Drawn on 24 × 24 with lines of 2 px; decorative, because the control or text beside it has the name. */
const icon = (paths: ReactNode) =>
  function Icon({ size = 20 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {paths}
      </svg>
    );
  };

export const LibraryIcon = icon(<path d="M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z" />);
export const FormatsIcon = icon(<path d="M4 4h10v7H4zM17 8h3v12H9v-6M7 7.5h.01" />);
export const PlayerConfigurationsIcon = icon(<path d="M3 4h18v13H3zM8 21h8M10 8l5 2.5-5 2.5z" />);
export const SharesIcon = icon(
  <path d="M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.5 1.6M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.5-1.6" />,
);
export const DropsitesIcon = icon(<path d="M3 13v6h18v-6M3 13h5l1.5 3h5l1.5-3h5M12 4v7M9 8l3 3 3-3" />);
export const SubscriptionsIcon = icon(<path d="M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 22h4" />);
export const ActivityIcon = icon(<path d="M3 12h4l3-8 4 16 3-8h4" />);
export const StatisticsIcon = icon(<path d="M4 20h16M7 16v-5M12 16V5M17 16v-8" />);
export const SettingsIcon = icon(<path d="M4 7h10M18 7h2M4 17h4M12 17h8M14 5v4M10 15v4" />);
export const TeamIcon = icon(
  <path d="M12 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0zM2 20a6.5 6.5 0 0 1 13 0M15 4.8a3.5 3.5 0 0 1 0 6.4M18 14.5a6.5 6.5 0 0 1 4 5.5" />,
);
export const CustomersIcon = icon(<path d="M4 21V5l8-2v18M12 8l8 2v11M2 21h20M8 8h.01M8 12h.01M8 16h.01M16 13h.01M16 17h.01" />);
export const UploadIcon = icon(<path d="M12 16V4M7 9l5-5 5 5M4 20h16" />);
export const VideoIcon = icon(<path d="M3 6h12v12H3zM15 10l6-3v10l-6-3z" />);
export const AudioIcon = icon(<path d="M9 18V6l11-2v12M9 18a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM20 16a3 3 0 1 1-6 0 3 3 0 0 1 6 0z" />);
export const ImageIcon = icon(<path d="M4 4h16v16H4zM4 16l5-5 4 4 3-3 4 4M9 8.5h.01" />);
export const DocumentIcon = icon(<path d="M6 3h8l4 4v14H6zM14 3v5h4M9 13h6M9 17h6" />);
export const CloseIcon = icon(<path d="M6 6l12 12M18 6L6 18" />);
export const PauseIcon = icon(<path d="M8 5v14M16 5v14" />);
export const PlayIcon = icon(<path d="M7 4l13 8-13 8z" />);
export const CopyIcon = icon(<path d="M9 9h11v11H9zM15 9V4H4v11h5" />);
export const CheckIcon = icon(<path d="M5 12l5 5 9-10" />);
export const SearchIcon = icon(<path d="M20 20l-4.5-4.5M17 10.5a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0z" />);
export const TrashIcon = icon(<path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5" />);
export const DownloadIcon = icon(<path d="M12 4v12M7 11l5 5 5-5M4 20h16" />);
export const UpIcon = icon(<path d="M12 19V5M6 11l6-6 6 6" />);
export const DownIcon = icon(<path d="M12 5v14M6 13l6 6 6-6" />);
