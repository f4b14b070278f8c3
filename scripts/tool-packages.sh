# The packages that the converter needs. Of LibreOffice the parts for texts, tables and slides; util-linux holds the programs in.
tool_packages=(
  ffmpeg
  imagemagick
  libimage-exiftool-perl
  libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui
  poppler-utils
  fonts-dejavu-core
  util-linux
)
